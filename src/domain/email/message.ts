/** Writes emails as text and as HTML. Values from applicants appear only as text. */
import { accentsOf } from '../access/branding.ts'
import type { Vault } from '../access/vault.ts'
import { cleanLine } from '../base/clean-text.ts'
import { LOCALES } from '../base/language.ts'
import { renderHtml } from './html.ts'
import { CODE_MINUTES, greetedName, isOutcome, isUrlNotice, type Notice } from './notice.ts'
import { EMAIL_TEXTS } from './texts.ts'

type EmailBrand = Pick<
  Vault,
  'name' | 'accentColor' | 'accentColorDark' | 'logoHash' | 'supportEmail' | 'defaultLanguage'
>

export interface EmailContent {
  readonly notice: Notice
  readonly kind: 'person' | 'company'
  /** The name of the person, or an empty text. */
  readonly name?: string
  /** The company whose application the email is about, or that has named the person in it. */
  readonly company?: string
  /** Whether the company has named the person as an owner. */
  readonly isOwner?: boolean
  /** The link of the button, and when it expires. Null if the notice has none. */
  readonly link: { readonly url: string; readonly expiresAt: Date | null } | null
  readonly code?: string
  readonly reference?: string
  /** When the details are erased, if the notice announces this. */
  readonly erasedAt?: Date
  /** The page on which the reader can decline reminders. */
  readonly declineUrl?: string
  readonly host?: string
}

export function renderEmail(brand: EmailBrand, content: EmailContent) {
  const { defaultLanguage: language, supportEmail } = brand
  const texts = EMAIL_TEXTS[language]
  const { notice, kind, link, declineUrl, code = null } = content
  const { subject, lines, button } = texts.templates[notice === 'link' ? kind : notice]
  const name = greetedName(content.name ?? '')
  const company = greetedName(content.company ?? '')
  const dates = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
  const values = {
    vault: cleanLine(brand.name),
    name: name ?? '',
    company: company ?? '',
    date: link?.expiresAt ? dates.format(link.expiresAt) : '',
    erasure: content.erasedAt ? dates.format(content.erasedAt) : '',
    support: supportEmail ?? '',
    verified: texts.verified[kind],
    code: code ?? '',
    minutes: String(CODE_MINUTES),
    host: cleanLine(content.host ?? ''),
    reference: content.reference ?? '',
  }
  const fill = (text: string) => fillIn(text, values)
  const before = [
    name === null ? texts.greeting : texts.greetingByName,
    ...(company === null
      ? []
      : [kind === 'company' ? texts.about : content.isOwner ? texts.owner : texts.named]),
    ...lines,
  ].map(fill)
  const action = link && button !== null ? { url: link.url, label: fill(button) } : null
  const after = [
    ...(action && link?.expiresAt ? [texts.validUntil] : []),
    ...(action && link?.expiresAt && kind === 'company' ? [texts.password] : []),
    ...(isOutcome(notice)
      ? []
      : [isUrlNotice(notice) ? texts.administrator : company === null ? texts.unexpected : texts.unknown]),
    supportEmail === null ? texts.contact : texts.support,
    // The code is the only number in its email.
    ...(content.reference && notice !== 'code' ? [texts.reference] : []),
  ].map(fill)
  const decline = declineUrl === undefined ? null : { url: declineUrl, label: texts.decline }
  return {
    subject: fill(subject),
    text: [
      ...before,
      ...(action ? [`${action.label}:\n${action.url}`] : []),
      ...after,
      ...(decline ? [`${decline.label}:\n${decline.url}`] : []),
      '',
    ].join('\n\n'),
    html: renderHtml({
      language,
      subject: fill(subject),
      vault: values.vault,
      hasLogo: brand.logoHash !== null,
      accents: accentsOf(brand),
      code,
      before,
      action,
      after,
      decline,
    }),
  }
}

const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
