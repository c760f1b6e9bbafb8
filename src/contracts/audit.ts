/** Schemas for the audit trail, which administrators read. */
import { z } from 'zod'
import { AUDIT_ACTIONS, AUDIT_SUBJECTS } from '../domain/access/audit.ts'
import { described, idParam, inOrder, pageQuery, periodQuery, requiredText } from './common.ts'
import { listOf, named, unixTime, uuid } from './response.ts'

const actor = described(
  requiredText(100),
  'The actor: `operator:<id>`, `user:<id>`, `api_key:<id>`, `cli` or `nobody`.',
  'cli',
)
const vault_id = idParam.optional().describe('The vault that the action affected.')

export const listAuditQuery = inOrder(
  z.strictObject({
    actor: actor.optional(),
    action: z.enum(AUDIT_ACTIONS).optional().describe('Type of the action.'),
    vault_id,
    ...periodQuery,
    ...pageQuery(25),
  }),
)

export const listReadsQuery = inOrder(
  z.strictObject({ actor: actor.optional(), vault_id, ...periodQuery, ...pageQuery(25) }),
)

const change = z
  .strictObject({
    from: described(z.unknown().optional(), 'Value before the action.', false),
    to: described(z.unknown().optional(), 'Value after the action.', true),
  })
  .meta({ description: 'Empty if the values are personal or secret.' })

export const auditListResponse = listOf(
  named(
    'AuditEntry',
    z.strictObject({
      id: uuid.describe('ID of the entry.'),
      at: unixTime.describe('Time of the action, in Unix seconds.'),
      action: z.enum(AUDIT_ACTIONS).describe('Type of the action.'),
      actor: described(
        z.string(),
        'The actor, such as `operator:<id>`, `user:<id>`, `api_key:<id>` or `cli`.',
        'cli',
      ),
      address: described(
        z.string().nullable(),
        'IP address of the actor. Null for the command line.',
        '203.0.113.7',
      ),
      vault_id: uuid.nullable().describe('The vault that the action affected. Null if it affected no vault.'),
      subject: z.enum(AUDIT_SUBJECTS).describe('Type of the resource that the action affected.'),
      subject_id: described(
        uuid.nullable(),
        'ID of the resource. Null for a failed sign-in with an unknown email.',
      ),
      changes: described(
        z.record(z.string(), change),
        'The changed values by name, before and after the action. If the changes exceed 3,500 bytes, long values are replaced by their `sha256` and, for lists, `count`.',
        { import_enabled: { from: false, to: true } },
      ),
      count: described(
        z.int().min(1),
        'Number of occurrences. It is 1, except for actions that share one entry per hour, such as failed sign-ins. For `case_names_read`, it is the number of names shown.',
        1,
      ),
    }),
  ),
)

const times = z.int().min(0)

export const readsListResponse = listOf(
  named(
    'ReadsOfActor',
    z.strictObject({
      actor: described(z.string(), 'The operator who read.', 'operator:018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f'),
      cases: times.describe('Number of different cases that the operator read.'),
      names: times.describe('Number of names that lists and searches showed to the operator.'),
      exports: times.describe('Number of reports that the operator exported.'),
      last_at: unixTime.describe('Start of the newest entry about a read, in Unix seconds.'),
    }),
  ),
)
