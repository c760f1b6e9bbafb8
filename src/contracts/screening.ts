/** What screening found, and what operators say of it. */
import { z } from 'zod'
import { HIT_DECISIONS, HIT_STATUSES } from '../domain/screening/screening.ts'
import { text } from './common.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const BIRTH_DATE = { description: 'A date, or as much of it as is known.', examples: ['1815-12-10'] }
const comment = text(5_000).meta({
  description: 'For operators alone.',
  examples: ['Born forty years later.'],
})

const hit = named(
  'ScreeningHit',
  z.strictObject({
    id: uuid.describe('Names the hit where it is decided about.'),
    status: z.enum(HIT_STATUSES).describe('`open` until an operator says whether it is the same.'),
    subject: z.string().meta({
      description: 'Who was looked for: `company`, `person`, or the id of a beneficiary.',
      examples: ['company'],
    }),
    looked_for: z
      .strictObject({
        names: z.array(z.string()).meta({ description: 'All names.', examples: [['Ada Lovelace']] }),
        birth_date: z.string().nullable().meta(BIRTH_DATE),
        countries: z.array(z.string()).meta({ description: 'Codes in lowercase.', examples: [['gb']] }),
        registration_number: z
          .string()
          .nullable()
          .meta({ description: 'Of a company.', examples: ['HRB 18421'] }),
      })
      .describe('What was known of them.'),
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'How alike they are, from 0 to 1.', examples: [0.93] }),
    parts: z
      .array(
        z.strictObject({
          name: z.string().meta({ description: 'What was compared.', examples: ['name'] }),
          score: z.number().meta({ description: 'What it adds, or takes off.', examples: [0.93] }),
          detail: z
            .string()
            .nullable()
            .meta({ description: 'What was found.', examples: ['Ada Lovelace'] }),
        }),
      )
      .meta({
        description: 'What the score is made of, the best likeness first, then what speaks against it.',
      }),
    entry: z
      .strictObject({
        id: z.string().meta({ description: 'Its id on the list.', examples: ['NK-1842'] }),
        caption: z.string().meta({ description: 'What the list calls it.', examples: ['Ada Lovelace'] }),
        kind: z.enum(['company', 'person', 'either']).describe('What the list says it is.'),
        names: z.array(z.string()).meta({ description: 'Its names.', examples: [['Ada Lovelace']] }),
        weak_names: z.array(z.string()).meta({ description: 'Names that say little.', examples: [['Ada']] }),
        birth_dates: z.array(z.string()).meta({ ...BIRTH_DATE, examples: [['1815-12-10']] }),
        countries: z.array(z.string()).meta({ description: 'Codes in lowercase.', examples: [['gb']] }),
        registration_numbers: z
          .array(z.string())
          .meta({ description: 'Of a company.', examples: [['HRB 18421']] }),
        topics: z
          .array(z.string())
          .meta({ description: 'Why it is on the list.', examples: [['sanction', 'role.pep']] }),
        datasets: z
          .array(z.string())
          .meta({ description: 'The lists that have it.', examples: [['eu_fsf']] }),
      })
      .describe('The entry of the list.'),
    found_at: unixTime.describe('When it was found, in Unix seconds.'),
    decided_by: z
      .string()
      .nullable()
      .meta({ description: 'Who decided.', examples: ['system'] }),
    decided_at: unixTime.nullable().describe('When it was decided; null while it is open.'),
    dismissal_proposed_by: z
      .string()
      .nullable()
      .meta({
        description:
          'The operator whose dismissal waits: another operator dismisses the hit, or confirms it.',
        examples: ['system'],
      }),
    dismissal_proposed_at: unixTime.nullable().describe('When it was proposed; null if none waits.'),
    comment: comment.nullable(),
  }),
)

export const screening = named(
  'Screening',
  z.strictObject({
    screened_at: unixTime.nullable().describe('When the lists were last searched; null for never.'),
    list_version: z
      .string()
      .nullable()
      .meta({
        description: 'Null while what is there now was not screened; `off` where nobody is.',
        examples: ['20261101'],
      }),
    hits: z.array(hit).describe('All that are decided, and of each subject the ten best that are not.'),
  }),
)

export const decideHitBody = z.strictObject({
  outcome: z.enum(HIT_DECISIONS).meta({ description: 'Whether it is the same company or person.' }),
  comment: comment.optional(),
  found_at: unixTime.optional().meta({
    description:
      'Of the hit as it was read: 409 `stale_version` where another entry or person was found since.',
  }),
  decided_at: unixTime.nullable().optional().meta({
    description:
      'The same, null for an open hit: 409 `stale_version` where somebody else has decided about it since.',
  }),
})
export const hitResponse = dataOf(hit)
