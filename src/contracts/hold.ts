/** Schemas for internal holds of identifications, which operators place and lift. */
import { z } from 'zod'
import {
  ALL_SERVICES,
  BLOCK_REASONS,
  HOLD_STATUSES,
  INTERNAL_OWNERS,
} from '../domain/identification/holds.ts'
import { described, idParam, inOrder, pageQuery, periodQuery } from './common.ts'
import { version } from './decision.ts'
import { blockReason, withReason } from './identification.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const placeHoldBody = withReason(
  z.strictObject({
    owner: z.enum(INTERNAL_OWNERS).describe('The team that owns the hold.'),
    services: z
      .array(z.enum(ALL_SERVICES))
      .min(1, 'Send at least one service. To block all services, omit this field.')
      .max(ALL_SERVICES.length)
      .optional()
      .describe('Services to block. If omitted, the hold blocks all services.'),
    ...blockReason,
  }),
)

export const liftHoldBody = z.strictObject({
  version: described(
    version,
    'The `version` of the identification that you read. If it is not the newest one, the response is 409 `stale_version`.',
  ),
})

export const reasonNotes = described(
  z.string().nullable(),
  'Notes on the reason. Null if there are none.',
  'Two chargebacks in May.',
)

export const internalHoldShown = named(
  'Case',
  z.strictObject({
    id: uuid.describe('ID of the hold.'),
    identification_id: uuid.describe('ID of the identification that the hold blocks.'),
    owner: z.enum(INTERNAL_OWNERS).describe('The team that owns the hold.'),
    services: z.array(z.enum(ALL_SERVICES)).describe('Blocked services.'),
    reason: z.enum(BLOCK_REASONS).describe('Reason for the block.'),
    status: described(
      z.enum(HOLD_STATUSES),
      'Status of the hold. It is `closing` until its services are restored.',
    ),
    opened_at: unixTime.describe('Time when the hold was placed, in Unix seconds.'),
    closed_at: unixTime
      .nullable()
      .describe('Time when the hold was lifted, in Unix seconds. Null while it is active.'),
  }),
)
export const holdResponse = dataOf(internalHoldShown)

const holdDetails = named(
  'CaseDetails',
  internalHoldShown.extend({
    vault_id: uuid.describe('ID of the identification’s vault.'),
    version: described(z.int().min(1), 'Version of the identification. Send it when you lift the hold.', 3),
    notes: reasonNotes,
    opened_by: described(z.string(), 'The actor who placed the hold.', 'temporal'),
    closed_by: described(
      z.string().nullable(),
      'The actor who lifted the hold. Null while it is active.',
      'system',
    ),
  }),
)
export const holdDetailsResponse = dataOf(holdDetails)
export const holdListResponse = listOf(holdDetails)

export const listHoldsQuery = inOrder(
  z.strictObject({
    vault_id: idParam.optional().describe('Only this vault. If omitted, all vaults.'),
    identification_id: idParam.optional().describe('Only holds of this identification.'),
    owner: z.enum(INTERNAL_OWNERS).optional().describe('Only holds that this team owns.'),
    status: z.enum(HOLD_STATUSES).optional().describe('Only holds with this status.'),
    ...periodQuery,
    ...pageQuery(25),
  }),
)
