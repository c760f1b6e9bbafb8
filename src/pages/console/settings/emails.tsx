/** Page: the texts of a vault's emails, in each of its languages. */
import { type EmailContent, renderEmail } from '../../../domain/email/message.ts'
import {
  CASE_NOTICES,
  DAYS_TO_ERASURE,
  isReminder,
  isUrlNotice,
  URL_NOTICES,
} from '../../../domain/email/notice.ts'
import { FoldedCard } from '../../components/card.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { languageName } from '../base/form.ts'
import { type Ask, placeInVault, type Reply } from './ask.ts'
import { vaultPath } from './sections.ts'

/** A fictional person, as in the preview of the pages. */
const PERSON = 'Jonas Reuter'
const COMPANY = 'Reuter Handel GmbH'
const CODE = '482913'
const REFERENCE = '0C4B5E71'
const HOST = 'hooks.client.example'
const DAY_MS = 86_400_000

type Sample = Pick<EmailContent, 'notice' | 'kind' | 'company' | 'isOwner'>

const SAMPLES: readonly Sample[] = [
  { notice: 'link', kind: 'company', company: COMPANY },
  { notice: 'link', kind: 'person', company: COMPANY, isOwner: true },
  ...CASE_NOTICES.map((notice) => ({
    notice,
    kind: notice === 'code' ? ('company' as const) : ('person' as const),
  })),
  ...URL_NOTICES.map((notice) => ({ notice, kind: 'company' as const })),
]

export async function emailsPage(ask: Ask): Promise<Reply> {
  const { deps, req, t, id } = ask
  const place = await placeInVault(ask, 'emails')
  const { vault } = place
  const language = vault.languages.find((each) => each === req.query.texts) ?? vault.defaultLanguage
  const isOff = deps.config.SMTP_URL === undefined ? 'unset' : vault.emails ? null : 'off'
  const contentOf = ({ notice, kind, ...more }: Sample): EmailContent => ({
    ...more,
    ...{ notice, kind, name: kind === 'person' ? PERSON : '', code: CODE, host: HOST },
    ...(isUrlNotice(notice) || more.isOwner ? {} : { reference: REFERENCE }),
    erasedAt: new Date(Date.now() + DAYS_TO_ERASURE * DAY_MS),
    link: isUrlNotice(notice)
      ? { url: `${deps.config.PUBLIC_URL}/console/client/…`, expiresAt: null }
      : { url: `${deps.config.PUBLIC_URL}/verify/…`, expiresAt: new Date(Date.now() + 7 * DAY_MS) },
    ...(isReminder(notice) && { declineUrl: `${deps.config.PUBLIC_URL}/verify/reminders/…` }),
  })
  return {
    ...place,
    title: t('settings.emailTexts'),
    lead: t(isOff ? `settings.emailTexts.${isOff}` : 'settings.emailTexts.lead'),
    children: (
      <>
        <Tabs
          label={t('settings.emailTexts.languages')}
          tabs={vault.languages.map((each) => ({
            href: `${vaultPath(id, 'emails')}?texts=${each}`,
            name: languageName(t, each),
            isCurrent: each === language,
          }))}
        />
        {SAMPLES.map((sample) => {
          const reader = sample.isOwner ? 'beneficiary' : sample.kind
          const name = sample.notice === 'link' ? (`link.${reader}` as const) : sample.notice
          const { subject, text } = renderEmail({ ...vault, defaultLanguage: language }, contentOf(sample))
          return (
            <FoldedCard
              key={name}
              title={t(`settings.emailTexts.${name}`)}
              text={<span lang={language}>{subject}</span>}
            >
              <div lang={language}>
                {text
                  .trim()
                  .split('\n\n')
                  .map((paragraph) => (
                    <p key={paragraph} class="lines">
                      {paragraph}
                    </p>
                  ))}
              </div>
            </FoldedCard>
          )
        })}
      </>
    ),
  }
}
