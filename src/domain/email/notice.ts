/** Rules for emails: their notices, and when they are sent. */
import type { Vault } from '../access/vault.ts'
import { asciiDigits } from '../base/clean-text.ts'
import type { IdentificationState } from '../identification/identification.ts'
import type { GatehouseEvent } from '../webhook/events.ts'

/** Notices to applicants about their case. */
export const CASE_NOTICES = [
  'link',
  'code',
  'reminder',
  'last_reminder',
  'changes_requested',
  'approved',
  'rejected',
] as const
export type CaseNotice = (typeof CASE_NOTICES)[number]

/** Notices to the administrators of a client about one of its webhook URLs. */
export const URL_NOTICES = ['webhook_failing', 'webhook_recovered'] as const
export type UrlNotice = (typeof URL_NOTICES)[number]

export type Notice = CaseNotice | UrlNotice

/**
 * `refused` means that the mail server refused the address or the text for good, and `failed` that no attempt succeeded
 * within `MAX_AGE_HOURS`. A `limited` email exceeded a limit, and a `dropped` one was no longer true.
 */
export type EmailStatus = 'pending' | 'sent' | 'refused' | 'failed' | 'limited' | 'dropped'

/** The age at which Gatehouse gives up an email that the mail server has not accepted. */
export const MAX_AGE_HOURS = 72

/**
 * How long Gatehouse waits before it uses a beneficiary's address that an applicant has entered, because pages save
 * while the applicant is typing.
 */
export const TYPING_SECONDS = 120

/** The maximum number of emails about a case in 24 hours, because an applicant can enter addresses. */
export const MAX_PER_CASE = 100

/**
 * Returns how many emails each vault can send to a mailbox, even if others have reached its limit. Without a share, one
 * vault could prevent the emails of all others.
 */
export const ownShare = (perAddress: number): number => Math.ceil(perAddress / 3)

/** The days of silence after which the reminders of a link are sent. */
export const REMINDER_DAYS = [3, 7] as const
/** The days between the last reminder and the erasure of an unfinished case. */
export const DAYS_TO_ERASURE = 14

/** Returns the day of silence on which the last reminder announces the erasure, or null if this would be too early. */
export function lastReminderDay(unfinishedDays: number): number | null {
  const day = unfinishedDays - DAYS_TO_ERASURE
  return day > REMINDER_DAYS[1] ? day : null
}

/** Returns the days of silence after which reminders are sent. */
export function reminderDays(unfinishedDays: number): number[] {
  const last = lastReminderDay(unfinishedDays)
  return last === null ? [...REMINDER_DAYS] : [...REMINDER_DAYS, last]
}

const OF_EVENTS: Partial<Record<GatehouseEvent['name'], CaseNotice>> = {
  kyb_revision_requested: 'changes_requested',
  identification_approved: 'approved',
  identification_rejected: 'rejected',
}

interface Waiting {
  readonly state: object
}

/** Returns the notices that follow from a change and its events. */
export function noticesOf(before: Waiting, after: Waiting, events: readonly GatehouseEvent[]): CaseNotice[] {
  const notices = events.flatMap(({ name }) => OF_EVENTS[name] ?? [])
  // No event reports that a person must correct something, because the status remains `initiated`.
  return !isWithPerson(before) && isWithPerson(after) ? [...notices, 'changes_requested'] : notices
}

const isWithPerson = ({ state }: Waiting): boolean => 'waitingOn' in state && state.waitingOn === 'applicant'

/** Returns true if the notice reports an outcome, which a vault must allow. */
export const isOutcome = (notice: Notice): boolean => notice === 'approved' || notice === 'rejected'

export const sendsNotice = (
  { emails, emailOutcomes }: Pick<Vault, 'emails' | 'emailOutcomes'>,
  notice: Notice,
): boolean => emails && (emailOutcomes || !isOutcome(notice))

/** Returns true if the email is about a webhook URL. */
export const isUrlNotice = (notice: Notice): notice is UrlNotice =>
  URL_NOTICES.some((each) => each === notice)

/** Returns true if the email contains a link to the form. */
export const leadsToForm = (notice: Notice): boolean =>
  notice === 'link' || isReminder(notice) || notice === 'changes_requested'

/** Returns true if the applicant can decline further emails of this kind. */
export const isReminder = (notice: Notice): boolean => notice === 'reminder' || notice === 'last_reminder'

/** Returns false if a later change has made the notice untrue, so that it is not sent. */
export const isStillTrue = (
  notice: Exclude<CaseNotice, 'code'>,
  { verification }: Pick<IdentificationState, 'verification'>,
): boolean => (isOutcome(notice) ? verification === notice : verification === 'initiated')

/** The length of a one-time code for a form, how long it is valid, and how often it can be tried. */
export const CODE_DIGITS = 6
export const CODE_MINUTES = 15
export const CODE_ATTEMPTS = 5

/**
 * Returns the code as sent. It was typed or pasted, for example with spaces, after a word, or with letters that look like
 * digits.
 */
export function readCode(typed: string): string {
  const text = asciiDigits(typed.normalize('NFKC'))
  const digits = text.replace(/\D/g, '')
  return digits.length >= CODE_DIGITS
    ? digits
    : text.replace(/o/gi, '0').replace(/[il]/gi, '1').replace(/\D/g, '')
}

/** Names of companies have quotation marks in some countries, and Persian and Indian names have joiners. */
const GREETED = /^(?:[\p{L}\p{M}\p{Zs}\p{Nd}&'’.,()«»„“”"\u200c-]|\u200d){1,100}$/u
/** Mail programs turn a point within a word into a link. */
const LIKE_A_HOST = /\.[\p{L}\p{M}\p{Nd}]{2}/u

/** Returns the name for the greeting, or null if it could be more than a name, such as an address. */
export function greetedName(name: string): string | null {
  const line = name.replace(/\s+/g, ' ').trim()
  return GREETED.test(line) && !LIKE_A_HOST.test(line) ? line : null
}
