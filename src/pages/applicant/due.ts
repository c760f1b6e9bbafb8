/** Builds the texts about outstanding requirements for applicants and operators. */

import type { DueReason } from '../../domain/fields/values.ts'
import type { Due } from '../../domain/kyb/requirements.ts'
import type { Frame } from '../components/layout.tsx'
import { isTextName } from '../texts/index.ts'

/** How many answers, documents of a company and photos of a person are missing. */
export interface Missing {
  readonly answers: number
  readonly documents?: number
  readonly photos?: number
}

/** Returns the text of the sum of missing details. */
export function missingText({ t }: Pick<Frame, 't'>, ...counts: readonly Missing[]): string {
  const sum = (name: keyof Missing) => counts.reduce((all, { [name]: count = 0 }) => all + count, 0)
  const [answers, documents, photos] = [sum('answers'), sum('documents'), sum('photos')]
  return t('check.missing', {
    answers,
    documents,
    photos,
    both: answers > 0 && documents + photos > 0 ? 'yes' : 'no',
  })
}

export function dueText({ t }: Pick<Frame, 't'>, { path, reason }: Due): string {
  const because = `because.${path.split('.').at(-1)}`
  return [t(`due.${reason}`), isTextName(because) ? t(because) : null].filter(Boolean).join(' ')
}

const PLAIN: readonly DueReason[] = ['missing', 'unanswered', 'no_document', 'nobody_in_charge']

/** Returns true for a reason that an empty field makes obvious. */
export const isPlain = (reason: DueReason): boolean => PLAIN.includes(reason)

/**
 * Returns the reason why a value does not meet the requirement. Returns null if the value meets it or is missing.
 */
export function invalidText(frame: Pick<Frame, 't'>, due: readonly Due[], path: string): string | null {
  const found = due.find((each) => each.path === path)
  return found && !isPlain(found.reason) ? dueText(frame, found) : null
}
