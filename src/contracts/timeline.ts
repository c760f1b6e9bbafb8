/** Timelines, as operators read them, and the notes that they write there. */
import { z } from 'zod'
import { requiredText } from './common.ts'
import { clientComment, finding, internalNote } from './decision.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const entry = named(
  'TimelineEntry',
  z.strictObject({
    action: z.string().meta({ description: 'What was done, or what happened.', examples: ['approve'] }),
    actor: z.string().meta({
      description:
        '`api_key:<id>`, `user:<id>`, `operator:<id>`, `applicant:<identification id>`, `provider`, `cli`, `temporal` (a signal sent by hand) or `system`.',
      examples: ['system'],
    }),
    from: z
      .string()
      .nullable()
      .meta({ description: 'The status before.', examples: ['attention'] }),
    to: z
      .string()
      .nullable()
      .meta({ description: 'The status afterwards.', examples: ['approved'] }),
    reason_code: z
      .string()
      .nullable()
      .meta({ description: 'Of a decision or a block.', examples: ['complete'] }),
    fields: z.array(z.string()).meta({
      description:
        'Paths of the fields that were changed, or are to be mended; never what is in them. A beneficiary is named by the `external_id`.',
      examples: [['nature_of_business.city_address']],
    }),
    files: z.array(uuid).meta({ description: 'Files that were added, taken away, or are to be mended.' }),
    file_id: uuid.nullable().meta({ description: 'Of a `file_read`.' }),
    client_comment: clientComment.nullable(),
    internal_note: internalNote.nullable(),
    findings: z.array(finding).meta({ description: 'Of a decision.' }),
    occurred_at: unixTime.describe('When, in Unix seconds.'),
  }),
)
export const timelineResponse = dataOf(z.array(entry))

export const noteBody = z.strictObject({
  text: requiredText(5_000).meta({
    description: 'For operators alone; erased with the rest.',
    examples: ['Called the company: the new extract comes on Monday.'],
  }),
})
export const noteResponse = dataOf(entry)
