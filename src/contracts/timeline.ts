/** Timelines, as operators read them, and the notes that they write there. */
import { z } from 'zod'
import { dataOf, named, unixTime, uuid } from './answer.ts'
import { requiredText } from './common.ts'
import { finding } from './decision.ts'

const entry = named(
  'TimelineEntry',
  z.strictObject({
    action: z.string().meta({ examples: ['approve'] }),
    actor: z.string().meta({
      description: '`api_key:<id>`, `user:<id>`, `operator:<id>` or `system`.',
      examples: ['system'],
    }),
    from: z.string().nullable(),
    to: z.string().nullable(),
    reason_code: z.string().nullable(),
    file_id: uuid.nullable().meta({ description: 'Of a `file_read`.' }),
    client_comment: z.string().nullable(),
    internal_note: z.string().nullable(),
    findings: z.array(finding).meta({ description: 'Of a decision.' }),
    occurred_at: unixTime,
  }),
)
export const timelineAnswer = dataOf(z.array(entry))

export const noteBody = z.strictObject({ text: requiredText(5_000) })
export const noteAnswer = dataOf(entry)
