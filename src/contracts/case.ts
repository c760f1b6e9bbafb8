/** Schemas for internal cases of identifications, which operators open and close. */
import { z } from 'zod'
import { ALL_SERVICES, BLOCK_REASONS, CASE_OWNERS, CASE_STATUSES } from '../domain/identification/holds.ts'
import { idParam, inOrder, pageQuery, periodQuery } from './common.ts'
import { version } from './decision.ts'
import { blockReason, withReason } from './identification.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const openCaseBody = withReason(
  z.strictObject({
    owner: z.enum(CASE_OWNERS).describe('The team that owns the case.'),
    services: z
      .array(z.enum(ALL_SERVICES))
      .min(1, 'Send at least one service. To block all services, omit this field.')
      .max(ALL_SERVICES.length)
      .optional()
      .describe('Services to block. If omitted, the case blocks all services.'),
    ...blockReason,
  }),
)

export const closeCaseBody = z.strictObject({
  version: version.meta({
    description:
      'The `version` of the identification that you read. If it is not the newest one, the response is 409 `stale_version`.',
  }),
})

export const reasonNotes = z
  .string()
  .nullable()
  .meta({
    description: 'Notes on the reason. Null if there are none.',
    examples: ['Two chargebacks in May.'],
  })

export const caseShown = named(
  'Case',
  z.strictObject({
    id: uuid.describe('ID of the case.'),
    identification_id: uuid.describe('ID of the identification that the case blocks.'),
    owner: z.enum(CASE_OWNERS).describe('The team that owns the case.'),
    services: z.array(z.enum(ALL_SERVICES)).describe('Blocked services.'),
    reason: z.enum(BLOCK_REASONS).describe('Reason for the block.'),
    status: z
      .enum(CASE_STATUSES)
      .describe('Status of the case. It is `closing` until its services are restored.'),
    opened_at: unixTime.describe('Time when the case was opened, in Unix seconds.'),
    closed_at: unixTime
      .nullable()
      .describe('Time when the case was closed, in Unix seconds. Null while the case is open.'),
  }),
)
export const caseResponse = dataOf(caseShown)

const caseDetails = named(
  'CaseDetails',
  caseShown.extend({
    vault_id: uuid.describe('ID of the identification’s vault.'),
    version: z
      .int()
      .min(1)
      .meta({
        description: 'Version of the identification. Send it when you close the case.',
        examples: [3],
      }),
    notes: reasonNotes,
    opened_by: z.string().meta({ description: 'The actor who opened the case.', examples: ['temporal'] }),
    closed_by: z
      .string()
      .nullable()
      .meta({ description: 'The actor who closed the case. Null while it is open.', examples: ['system'] }),
  }),
)
export const caseDetailsResponse = dataOf(caseDetails)
export const caseListResponse = listOf(caseDetails)

export const listCasesQuery = inOrder(
  z.strictObject({
    vault_id: idParam.optional().describe('Only this vault. If omitted, all vaults.'),
    identification_id: idParam.optional().describe('Only cases of this identification.'),
    owner: z.enum(CASE_OWNERS).optional().describe('Only cases that this team owns.'),
    status: z.enum(CASE_STATUSES).optional().describe('Only cases with this status.'),
    ...periodQuery,
    ...pageQuery(25),
  }),
)
