/** Rules for emails to applicants: what they are about, and when they are sent. */
import type { IdentificationState } from '../identification/identification.ts'
import type { GatehouseEvent } from '../webhook/events.ts'

/** The notices that a vault can preview. `code` is the one-time code for a company's form. */
export const NOTICES = ['link', 'reminder', 'changes_requested', 'approved', 'rejected', 'code'] as const
export type Notice = (typeof NOTICES)[number]

/**
 * `refused` means that the mail server refused the address or the text for good, and `failed` that no attempt succeeded
 * within `MAX_AGE_HOURS`. A `limited` email exceeded a limit, and a `dropped` one was no longer true.
 */
export type EmailStatus = 'pending' | 'sent' | 'refused' | 'failed' | 'limited' | 'dropped'

/** The age at which Gatehouse gives up an email that the mail server has not accepted. */
export const MAX_AGE_HOURS = 72

/** The days of silence after which the reminders of a link are sent. */
export const REMINDER_DAYS = [3, 7] as const

const OF_EVENTS: Partial<Record<GatehouseEvent['name'], Notice>> = {
  kyb_revision_requested: 'changes_requested',
  identification_approved: 'approved',
  identification_rejected: 'rejected',
}

interface Waiting {
  readonly state: object
}

/** Returns the notices that follow from a change and its events. */
export function noticesOf(before: Waiting, after: Waiting, events: readonly GatehouseEvent[]): Notice[] {
  const notices = events.flatMap(({ name }) => OF_EVENTS[name] ?? [])
  // No event reports that a person must correct something, because the status remains `initiated`.
  return !isWithPerson(before) && isWithPerson(after) ? [...notices, 'changes_requested'] : notices
}

const isWithPerson = ({ state }: Waiting): boolean => 'waitingOn' in state && state.waitingOn === 'applicant'

/** Returns true if the notice reports an outcome, which a vault must allow. */
export const isOutcome = (notice: Notice): boolean => notice === 'approved' || notice === 'rejected'

/** Returns true if the email contains a link to the form. */
export const leadsToForm = (notice: Notice): boolean =>
  notice === 'link' || notice === 'reminder' || notice === 'changes_requested'

/** Returns false if a later change has made the notice untrue, so that it is not sent. */
export const isStillTrue = (
  notice: Notice,
  { verification }: Pick<IdentificationState, 'verification'>,
): boolean => (isOutcome(notice) ? verification === notice : verification === 'initiated')

const GREETED = /^[\p{L}\p{M}\p{Zs}\p{Nd}'’.,()-]{1,100}$/u
/** Mail programs turn a point within a word into a link. */
const LIKE_A_HOST = /\.[\p{L}\p{M}\p{Nd}]{2}/u

/** Returns the name for the greeting, or null if it could be more than a name, such as an address. */
export function greetedName(name: string): string | null {
  const line = name.replace(/\s+/g, ' ').trim()
  return GREETED.test(line) && !LIKE_A_HOST.test(line) ? line : null
}
