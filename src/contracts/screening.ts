/** What screening found, and what operators say of it. */
import { z } from 'zod'
import { HIT_DECISIONS, HIT_STATUSES } from '../domain/screening.ts'
import { dataOf, named, unixTime, uuid } from './answer.ts'
import { text } from './common.ts'

const hit = named(
  'ScreeningHit',
  z.strictObject({
    id: uuid,
    status: z.enum(HIT_STATUSES),
    subject: z.string().meta({ description: '`company`, `person`, or the id of a beneficiary.' }),
    looked_for: z.strictObject({
      names: z.array(z.string()).meta({ examples: [['Ada Lovelace']] }),
      birth_date: z.string().nullable(),
      countries: z.array(z.string()).meta({ examples: [['gb']] }),
      registration_number: z.string().nullable(),
    }),
    score: z.number().min(0).max(1),
    parts: z
      .array(z.strictObject({ name: z.string(), score: z.number(), detail: z.string().nullable() }))
      .meta({
        description: 'What the score is made of, the best likeness first, then what speaks against it.',
      }),
    entry: z.strictObject({
      id: z.string(),
      caption: z.string(),
      kind: z.enum(['company', 'person', 'either']),
      names: z.array(z.string()),
      weak_names: z.array(z.string()),
      birth_dates: z.array(z.string()),
      countries: z.array(z.string()),
      registration_numbers: z.array(z.string()),
      topics: z.array(z.string()).meta({ examples: [['sanction', 'role.pep']] }),
      datasets: z.array(z.string()),
    }),
    found_at: unixTime,
    decided_by: z.string().nullable(),
    decided_at: unixTime.nullable(),
    comment: z.string().nullable(),
  }),
)

export const screening = named(
  'Screening',
  z.strictObject({
    screened_at: unixTime.nullable(),
    list_version: z
      .string()
      .nullable()
      .meta({ description: 'Null while what is there now was not screened; `off` where nobody is.' }),
    hits: z.array(hit),
  }),
)

export const decideHitBody = z.strictObject({
  outcome: z.enum(HIT_DECISIONS).meta({ description: 'Whether it is the same company or person.' }),
  comment: text(5_000).optional().meta({ description: 'For operators alone.' }),
  found_at: unixTime.optional().meta({
    description:
      'Of the hit as it was read: 409 `stale_version` where another entry or person was found since.',
  }),
})
export const hitAnswer = dataOf(hit)
