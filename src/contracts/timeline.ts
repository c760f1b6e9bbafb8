/** Schemas for timelines and for the notes of operators. */
import { z } from 'zod'
import { requiredText } from './common.ts'
import { clientComment, finding, internalNote } from './decision.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const entry = named(
  'TimelineEntry',
  z.strictObject({
    action: z.string().meta({ description: 'Type of the action or event.', examples: ['approve'] }),
    actor: z.string().meta({
      description:
        'The actor: `api_key:<id>`, `user:<id>`, `operator:<id>`, `applicant:<identification id>`, `provider`, `cli`, `temporal` (a signal from the Temporal UI or CLI) or `system`.',
      examples: ['system'],
    }),
    from: z
      .string()
      .nullable()
      .meta({ description: 'Status before the action. Null if there was none.', examples: ['attention'] }),
    to: z
      .string()
      .nullable()
      .meta({ description: 'Status after the action. Null if there is none.', examples: ['approved'] }),
    reason_code: z
      .string()
      .nullable()
      .meta({
        description: 'Reason for a decision or a block. Null for other actions.',
        examples: ['complete'],
      }),
    fields: z.array(z.string()).meta({
      description:
        'Paths of the fields that were changed or need a correction, without values. A beneficiary’s path contains the `external_id`.',
      examples: [['nature_of_business.city_address']],
    }),
    files: z
      .array(uuid)
      .meta({ description: 'IDs of the files that were added or removed, or that need a correction.' }),
    file_id: uuid
      .nullable()
      .meta({ description: 'ID of the file, for the `file_read` action. Null for other actions.' }),
    client_comment: clientComment.nullable(),
    internal_note: internalNote.nullable(),
    findings: z.array(finding).meta({ description: 'Problems that the operator found, for a decision.' }),
    occurred_at: unixTime.describe('Time of the action, in Unix seconds.'),
  }),
)
export const timelineResponse = dataOf(z.array(entry))

export const noteBody = z.strictObject({
  text: requiredText(5_000).meta({
    description:
      'Note for operators. Clients never see it. It is erased together with the case’s personal data.',
    examples: ['Called the company. The new extract will arrive on Monday.'],
  }),
})
export const noteResponse = dataOf(entry)
