/** Schemas for screening results and the decisions on hits. */
import { z } from 'zod'
import { HIT_DECISIONS, HIT_STATUSES } from '../domain/screening/screening.ts'
import { text } from './common.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const BIRTH_DATE = {
  description: 'Date of birth, as YYYY-MM-DD, or as YYYY-MM or YYYY if the rest is not known.',
  examples: ['1815-12-10'],
}
const comment = text(5_000).meta({
  description: 'Comment for operators. Clients never see it.',
  examples: ['Born forty years later.'],
})

const hit = named(
  'ScreeningHit',
  z.strictObject({
    id: uuid.describe('ID of the hit.'),
    status: z
      .enum(HIT_STATUSES)
      .describe('Status of the hit: `open`, `confirmed` (true match) or `dismissed` (false positive).'),
    subject: z.string().meta({
      description: 'The screened subject: `company`, `person` or the `external_id` of a beneficiary.',
      examples: ['company'],
    }),
    looked_for: z
      .strictObject({
        names: z.array(z.string()).meta({ description: 'Screened names.', examples: [['Ada Lovelace']] }),
        birth_date: z.string().nullable().meta(BIRTH_DATE),
        countries: z
          .array(z.string())
          .meta({ description: 'ISO 3166-1 alpha-2 codes in lower case.', examples: [['gb']] }),
        registration_number: z
          .string()
          .nullable()
          .meta({
            description: 'A company’s registration number. Null if it is not known.',
            examples: ['HRB 18421'],
          }),
      })
      .describe('The data that was screened.'),
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({
        description: 'Similarity between the subject and the list entry, from 0 to 1.',
        examples: [0.93],
      }),
    parts: z
      .array(
        z.strictObject({
          name: z.string().meta({ description: 'Name of the comparison.', examples: ['name'] }),
          score: z
            .number()
            .meta({ description: 'Contribution to the score. Negative values reduce it.', examples: [0.93] }),
          detail: z
            .string()
            .nullable()
            .meta({ description: 'Compared value. Null if there is none.', examples: ['Ada Lovelace'] }),
        }),
      )
      .meta({
        description: 'Parts of the score, in no particular order. Negative parts reduce the score.',
      }),
    entry: z
      .strictObject({
        id: z.string().meta({ description: 'ID of the entry on the list.', examples: ['NK-1842'] }),
        caption: z.string().meta({ description: 'Main name of the entry.', examples: ['Ada Lovelace'] }),
        kind: z.enum(['company', 'person', 'either']).describe('Type of the entry.'),
        names: z.array(z.string()).meta({ description: 'Names of the entry.', examples: [['Ada Lovelace']] }),
        weak_names: z
          .array(z.string())
          .meta({ description: 'Weak aliases. They match only if they are identical.', examples: [['Ada']] }),
        birth_dates: z.array(z.string()).meta({ ...BIRTH_DATE, examples: [['1815-12-10']] }),
        countries: z
          .array(z.string())
          .meta({ description: 'ISO 3166-1 alpha-2 codes in lower case.', examples: [['gb']] }),
        registration_numbers: z
          .array(z.string())
          .meta({ description: 'A company’s registration numbers.', examples: [['HRB 18421']] }),
        topics: z.array(z.string()).meta({
          description: 'Topics of the entry, such as `sanction`.',
          examples: [['sanction', 'role.pep']],
        }),
        datasets: z
          .array(z.string())
          .meta({ description: 'Lists that contain the entry.', examples: [['eu_fsf']] }),
      })
      .describe('The list entry.'),
    found_at: unixTime.describe('Time when the hit was found, in Unix seconds.'),
    decided_by: z
      .string()
      .nullable()
      .meta({ description: 'The operator who decided. Null while the hit is open.', examples: ['system'] }),
    decided_at: unixTime
      .nullable()
      .describe('Time of the decision, in Unix seconds. Null while the hit is open.'),
    dismissal_proposed_by: z
      .string()
      .nullable()
      .meta({
        description:
          'The operator whose dismissal awaits a second approval. Another operator dismisses or confirms the hit. Null if no dismissal is pending.',
        examples: ['system'],
      }),
    dismissal_proposed_at: unixTime
      .nullable()
      .describe('Time of the first dismissal, in Unix seconds. Null if no dismissal is pending.'),
    comment: comment.nullable(),
  }),
)

export const screening = named(
  'Screening',
  z.strictObject({
    screened_at: unixTime
      .nullable()
      .describe('Time of the latest screening, in Unix seconds. Null if there was none.'),
    list_version: z
      .string()
      .nullable()
      .meta({
        description:
          'Version of the lists. Null while the current data has not been screened; `off` if screening is off.',
        examples: ['20261101'],
      }),
    hits: z
      .array(hit)
      .describe('All decided hits, and for each subject up to ten open hits with the highest scores.'),
    more_hits: z
      .boolean()
      .describe(
        'Whether more hits can exist, because a subject has ten open hits. Decide them to find the next.',
      ),
  }),
)

export const decideHitBody = z.strictObject({
  outcome: z
    .enum(HIT_DECISIONS)
    .meta({ description: '`confirmed` for a true match, `dismissed` for a false positive.' }),
  comment: comment.optional(),
  found_at: unixTime.optional().meta({
    description:
      'The `found_at` that you read. If the hit has changed since, the response is 409 `stale_version`.',
  }),
  decided_at: unixTime.nullable().optional().meta({
    description:
      'The `decided_at` that you read, null for an open hit. If another operator has decided since, the response is 409 `stale_version`.',
  }),
})
export const hitResponse = dataOf(hit)
