/** Schemas for screening results and the decisions on hits. */
import { z } from 'zod'
import { HIT_DECISIONS, HIT_STATUSES } from '../domain/screening/screening.ts'
import { described, text } from './common.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const BIRTH_DATE = {
  description: 'Date of birth, as YYYY-MM-DD, or as YYYY-MM or YYYY if the rest is not known.',
  examples: ['1815-12-10'],
}
const comment = described(text(5_000), 'Internal note. Clients never see it.', 'Born forty years later.')

const hit = named(
  'ScreeningHit',
  z.strictObject({
    id: uuid.describe('ID of the hit.'),
    status: described(
      z.enum(HIT_STATUSES),
      'Status of the hit: `open`, `confirmed` (true match) or `dismissed` (false positive).',
    ),
    subject: described(
      z.string(),
      'The screened subject: `company`, `person` or the `external_id` of a beneficiary.',
      'company',
    ),
    looked_for: z
      .strictObject({
        names: described(z.array(z.string()), 'Screened names.', ['Ada Lovelace']),
        birth_date: z.string().nullable().meta(BIRTH_DATE),
        countries: described(z.array(z.string()), 'ISO 3166-1 alpha-2 codes in lower case.', ['gb']),
        registration_number: described(
          z.string().nullable(),
          'A company’s registration number. Null if it is not known.',
          'HRB 18421',
        ),
      })
      .describe('The data that was screened.'),
    score: described(
      z.number().min(0).max(1),
      'Similarity between the subject and the list entry, from 0 to 1.',
      0.93,
    ),
    parts: z
      .array(
        z.strictObject({
          name: described(z.string(), 'Name of the comparison.', 'name'),
          score: described(z.number(), 'Contribution to the score. Negative values reduce it.', 0.93),
          detail: described(z.string().nullable(), 'Compared value. Null if there is none.', 'Ada Lovelace'),
        }),
      )
      .meta({
        description: 'Parts of the score, in no particular order. Negative parts reduce the score.',
      }),
    entry: z
      .strictObject({
        id: described(z.string(), 'ID of the entry on the list.', 'NK-1842'),
        caption: described(z.string(), 'Main name of the entry.', 'Ada Lovelace'),
        kind: z.enum(['company', 'person', 'either']).describe('Type of the entry.'),
        names: described(z.array(z.string()), 'Names of the entry.', ['Ada Lovelace']),
        weak_names: described(z.array(z.string()), 'Weak aliases. They match only if they are identical.', [
          'Ada',
        ]),
        birth_dates: z.array(z.string()).meta({ ...BIRTH_DATE, examples: [['1815-12-10']] }),
        countries: described(z.array(z.string()), 'ISO 3166-1 alpha-2 codes in lower case.', ['gb']),
        registration_numbers: described(z.array(z.string()), 'A company’s registration numbers.', [
          'HRB 18421',
        ]),
        topics: described(z.array(z.string()), 'Topics of the entry, such as `sanction`.', [
          'sanction',
          'role.pep',
        ]),
        datasets: described(z.array(z.string()), 'Lists that contain the entry.', ['eu_fsf']),
      })
      .describe('The list entry.'),
    found_at: unixTime.describe('Time when the hit was found, in Unix seconds.'),
    decided_by: described(
      z.string().nullable(),
      'The operator who decided. Null while the hit is open.',
      'system',
    ),
    decided_at: unixTime
      .nullable()
      .describe('Time of the decision, in Unix seconds. Null while the hit is open.'),
    dismissal_proposed_by: described(
      z.string().nullable(),
      'The operator whose dismissal awaits a second approval. Another operator dismisses or confirms the hit. Null if no dismissal is pending.',
      'system',
    ),
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
    list_version: described(
      z.string().nullable(),
      'Version of the lists. Null while the current data has not been screened; `off` if screening is off.',
      '20261101',
    ),
    hits: described(
      z.array(hit),
      'All decided hits, and for each subject up to ten open hits with the highest scores.',
    ),
    more_hits: described(
      z.boolean(),
      'Whether more hits can exist, because a subject has ten open hits. Decide them to find the next.',
    ),
  }),
)

export const decideHitBody = z.strictObject({
  outcome: described(
    z.enum(HIT_DECISIONS),
    '`confirmed` for a true match, `dismissed` for a false positive.',
  ),
  comment: comment.optional(),
  found_at: described(
    unixTime.optional(),
    'The `found_at` that you read. If the hit has changed since, the response is 409 `stale_version`.',
  ),
  decided_at: described(
    unixTime.nullable().optional(),
    'The `decided_at` that you read, null for an open hit. If another operator has decided since, the response is 409 `stale_version`.',
  ),
})
export const hitResponse = dataOf(hit)
