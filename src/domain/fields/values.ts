/** Rules for the values that count for a required field. A draft can contain any value of the right type. */
import type { Facts } from './condition.ts'
import { type Field, type FieldType, isChoice, type Limits, offered } from './field.ts'
import { isBlank } from './given.ts'
import { findLimitReason } from './limits.ts'

/**
 * The maximum length in characters. A draft can contain a `short_text` of this length, although such a value does not
 * count.
 */
export const MAX_TEXT_LENGTH = 5_000
const MAX_SHORT_TEXT_LENGTH = 500
/** The earliest date that counts. */
export const EARLIEST_DATE = '1000-01-01'
/** The limits of each type, within which a profile sets its own. */
export const OWN_LIMITS: Readonly<Partial<Record<FieldType, Pick<Limits, 'max_length' | 'maximum'>>>> = {
  text: { max_length: MAX_TEXT_LENGTH },
  short_text: { max_length: MAX_SHORT_TEXT_LENGTH },
  percentage_text: { maximum: 100 },
}

/** The reasons why a field is due, with the next step. */
export const DUE_REASONS = {
  missing: 'The field is empty. Send a value.',
  unanswered: 'The question is not answered. Send true or false.',
  not_confirmed: 'The statement is not confirmed. Send true if it is correct.',
  too_long: `The text exceeds ${MAX_SHORT_TEXT_LENGTH} characters. Shorten it.`,
  in_future: 'The date is in the future. Send an earlier date.',
  too_early: 'The date is before the year 1000. Send a later date.',
  outside_limits: 'The value is outside the limits of the profile. Send another value.',
  wrong_format: 'The number does not have the format of the profile. Correct the number.',
  not_offered: 'The profile does not offer this choice with the other answers. Choose another value.',
  front_missing: 'The front of the identity card is missing. Upload it.',
  back_missing: 'The back of the identity card is missing. Upload it.',
  no_document: 'There is no document. Upload at least one.',
  unreadable:
    'The documents cannot be opened. Upload a complete PDF without a password, or a JPEG or PNG of at most 50 million pixels.',
  verified_as_another:
    'The person was verified under another name. Correct full_name, renew the link, or upload an identity document.',
  nobody_in_charge: 'No beneficiary has the role ubo or director. Add a beneficiary with one of these roles.',
  to_be_checked: 'The field has not been checked again. It is checked at the next change to the application.',
} as const satisfies Record<string, string>
export type DueReason = keyof typeof DUE_REASONS

/** Circumstances outside the value that affect whether it counts. */
export interface Known {
  /** The latest current date in any time zone, as `YYYY-MM-DD`. */
  readonly today: string
  /** The IDs of files that cannot be opened. */
  readonly unreadable: { has(fileId: string): boolean }
  /** The sides of identity cards, by file ID. */
  readonly sides?: ReadonlyMap<string, 'front' | 'back'>
}

/** Returns the latest current date in any time zone. Clocks are up to 14 hours ahead of UTC. */
export const newestDay = (now: Date): string =>
  new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10)

type Check = readonly [reason: DueReason, applies: (value: unknown, known: Known) => boolean]

interface ValueRules {
  /** The checks in their order. The reason comes from the first check that applies. */
  readonly checks: readonly Check[]
  /** The rule as text for the API reference. */
  readonly guide?: string
}

const given: Check = ['missing', (value) => value === undefined || value === null || isBlank(value)]
/** Applies if a question is not answered. A missing answer, such as to `politically_exposed`, must not count as no. */
const answered: Check = ['unanswered', (value) => typeof value !== 'boolean']

/** Applies if only the other side of an identity card can be read. A readable file without a side counts as complete. */
const sideMissing =
  (missing: 'front' | 'back') =>
  (value: unknown, { unreadable, sides }: Known): boolean => {
    const found = (value as string[]).filter((id) => !unreadable.has(id)).map((id) => sides?.get(id))
    return found.every((side) => side !== undefined && side !== missing)
  }

const GIVEN: ValueRules = { checks: [given] }

const FIELD_RULES: Readonly<Record<FieldType, ValueRules>> = {
  text: { checks: [given], guide: 'A blank text does not count.' },
  short_text: {
    checks: [given, ['too_long', (value) => String(value).length > MAX_SHORT_TEXT_LENGTH]],
    guide: `A text that is blank or longer than ${MAX_SHORT_TEXT_LENGTH} characters does not count.`,
  },
  boolean: { checks: [answered], guide: 'Both true and false count.' },
  confirmation: {
    checks: [answered, ['not_confirmed', (value) => value !== true]],
    guide: 'Only true counts.',
  },
  date: {
    checks: [
      given,
      ['in_future', (value, { today }) => String(value) > today],
      ['too_early', (value) => String(value) < EARLIEST_DATE],
    ],
    guide: 'A date in the future, or before the year 1000, does not count.',
  },
  files: {
    checks: [
      ['no_document', (value) => ((value ?? []) as readonly string[]).length === 0],
      ['unreadable', (value, { unreadable }) => (value as string[]).every((id) => unreadable.has(id))],
      ['front_missing', sideMissing('front')],
      ['back_missing', sideMissing('back')],
    ],
    guide: 'At least one file must be a readable image, or a complete PDF without a password.',
  },
  country: GIVEN,
  country_list: GIVEN,
  url: GIVEN,
  phone: GIVEN,
  email: GIVEN,
  number_text: GIVEN,
  percentage_text: GIVEN,
  one_of: GIVEN,
  some_of: GIVEN,
}

/** Returns the reason why the value does not count, or null if it counts. */
export function findDueReason(field: Field, value: unknown, known: Known, facts: Facts): DueReason | null {
  const { checks } = FIELD_RULES[field.type]
  const found = checks.find(([reason, applies]) => !isReplaced(reason, field) && applies(value, known))
  return found?.[0] ?? (isOffered(field, value, facts) ? findLimitReason(field, value, facts) : 'not_offered')
}

/** A latest date replaces the rule that dates are not in the future. */
const isReplaced = (reason: DueReason, { latest }: Field) => reason === 'in_future' && latest !== undefined

function isOffered(field: Field, value: unknown, facts: Facts): boolean {
  if (!isChoice(field.type)) return true
  const values = offered(field, facts)
  return [value].flat().every((each) => values.includes(String(each)))
}

export const guideToValue = (type: FieldType): string | undefined => FIELD_RULES[type].guide
