/** Builds the texts about outstanding requirements for applicants and operators. */
import type { DueReason } from '../../../domain/fields/values.ts'
import type { Due } from '../../../domain/kyb/requirements.ts'
import type { Frame } from '../../components/layout.tsx'
import { isTextName, LOCALES } from '../../texts/index.ts'

const MISSING = ['answers', 'documents', 'ids', 'photos'] as const

/** How many answers, documents of a company, identity documents and photos of a person are missing. */
export type Missing = { readonly [Part in (typeof MISSING)[number]]?: number }

export function missingText(
  { t, language }: Pick<Frame, 't' | 'language'>,
  ...counts: readonly Missing[]
): string {
  const parts = MISSING.flatMap((part) => {
    const count = counts.reduce((all, { [part]: more = 0 }) => all + more, 0)
    return count > 0 ? [t(`check.missing.${part}`, { count })] : []
  })
  return t('check.missing', { list: new Intl.ListFormat(LOCALES[language]).format(parts) })
}

export const dueText = (frame: Pick<Frame, 't'>, due: Due): string =>
  [frame.t(`due.${due.reason}`), becauseText(frame, due)].filter(Boolean).join(' ')

/** Returns why the requirement applies, or null if it always does. */
export function becauseText({ t }: Pick<Frame, 't'>, { path }: Pick<Due, 'path'>): string | null {
  const because = `because.${path.split('.').at(-1)}`
  return isTextName(because) ? t(because) : null
}

const PLAIN: readonly DueReason[] = ['missing', 'unanswered', 'no_document', 'nobody_in_charge']

/** Returns true for a reason that an empty field makes obvious. */
export const isPlain = (reason: DueReason): boolean => PLAIN.includes(reason)

/** Returns why a value does not meet the requirement, or null if it does or is missing. */
export function invalidText(frame: Pick<Frame, 't'>, due: readonly Due[], path: string): string | null {
  const found = due.find((each) => each.path === path)
  return found && !isPlain(found.reason) ? dueText(frame, found) : null
}
