/** Schemas for timelines and for the notes of operators. */
import { z } from 'zod'
import { described, requiredText } from './common.ts'
import { clientComment, finding, internalNote } from './decision.ts'
import { dataOf, named, unixTime, uuid } from './response.ts'

const entry = named(
  'TimelineEntry',
  z.strictObject({
    action: described(z.string(), 'Type of the action or event.', 'approve'),
    actor: described(
      z.string(),
      'The actor: `api_key:<id>`, `user:<id>`, `operator:<id>`, `applicant:<identification id>`, `provider`, `cli`, `temporal` (a signal from the Temporal UI or CLI) or `system`.',
      'system',
    ),
    from: described(z.string().nullable(), 'Status before the action. Null if there was none.', 'attention'),
    to: described(z.string().nullable(), 'Status after the action. Null if there is none.', 'approved'),
    reason_code: described(
      z.string().nullable(),
      'Reason for a decision or a block. Null for other actions.',
      'complete',
    ),
    fields: described(
      z.array(z.string()),
      'Paths of the fields that were changed or need a correction, without values. A beneficiary’s path contains the `external_id`.',
      ['nature_of_business.city_address'],
    ),
    files: described(
      z.array(uuid),
      'IDs of the files that were added or removed, or that need a correction.',
    ),
    file_id: described(
      uuid.nullable(),
      'ID of the file, for the `file_read` action. Null for other actions.',
    ),
    client_comment: clientComment.nullable(),
    internal_note: internalNote.nullable(),
    findings: z.array(finding).meta({ description: 'Problems that the operator found, for a decision.' }),
    occurred_at: unixTime.describe('Time of the action, in Unix seconds.'),
  }),
)
export const timelineResponse = dataOf(z.array(entry))

export const noteBody = z.strictObject({
  text: described(
    requiredText(5_000),
    'Note for operators. Clients never see it. It is erased together with the case’s personal data.',
    'Called the company. The new extract will arrive on Monday.',
  ),
})
export const noteResponse = dataOf(entry)
