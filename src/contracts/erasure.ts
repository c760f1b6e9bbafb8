/** Schemas for the identifications that are due for erasure. */
import { z } from 'zod'
import { ENTITY_KINDS } from '../domain/entity/entity.ts'
import { IDENTIFICATION_STATUSES } from '../domain/identification/identification.ts'
import { RETENTION_BLOCKERS } from '../domain/review/retention.ts'
import { described, idParam, inOrder, pageQuery, periodQuery } from './common.ts'
import { listOf, named, unixTime, uuid } from './response.ts'

export const listErasuresQuery = inOrder(
  z.strictObject({
    vault_id: idParam.optional().describe('Only identifications of this vault.'),
    kind: described(
      z.enum(ENTITY_KINDS).optional(),
      'Only identifications with an application (`kyb`) or without one (`identification`).',
    ),
    from: described(
      periodQuery.from,
      'Only those that are due since this time or later, in Unix seconds.',
      1_767_225_600,
    ),
    to: described(
      periodQuery.to,
      'Only those that are due since this time or earlier, in Unix seconds.',
      1_767_312_000,
    ),
    ...pageQuery(25),
  }),
)

export const erasureListResponse = listOf(
  named(
    'DueErasure',
    z.strictObject({
      id: uuid.describe('ID of the identification.'),
      vault_id: uuid.describe('The vault of the identification.'),
      kyb_id: uuid.nullable().describe('ID of the application that is erased with it, or null.'),
      status: z.enum(IDENTIFICATION_STATUSES).describe('Status of the identification.'),
      is_unfinished: described(
        z.boolean(),
        'Whether it was unfinished for too long. Otherwise, its retention period has ended.',
        false,
      ),
      due_since: unixTime.describe('Time since which it is due, in Unix seconds.'),
      kept_by: described(
        z.enum(RETENTION_BLOCKERS).nullable(),
        'The reason that prevents the erasure, such as `legal_hold`. Null if the next erasure includes it.',
        null,
      ),
    }),
  ),
)
