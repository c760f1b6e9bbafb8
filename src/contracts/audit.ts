/** What administrators did, read by operators who administer. */
import { z } from 'zod'
import { AUDIT_ACTIONS, AUDIT_SUBJECTS } from '../domain/access/audit.ts'
import { idParam, inOrder, pageQuery, periodQuery, requiredText } from './common.ts'
import { listOf, named, unixTime, uuid } from './response.ts'

export const listAuditQuery = inOrder(
  z.strictObject({
    actor: requiredText(100)
      .meta({
        description: '`operator:<id>`, `user:<id>`, `api_key:<id>`, `cli` or `nobody`.',
        examples: ['cli'],
      })
      .optional(),
    action: z.enum(AUDIT_ACTIONS).optional().describe('What was done.'),
    vault_id: idParam.optional().describe('The vault that it was done to.'),
    ...periodQuery,
    ...pageQuery(25),
  }),
)

const change = z
  .strictObject({
    from: z
      .unknown()
      .optional()
      .meta({ description: 'Before.', examples: [false] }),
    to: z
      .unknown()
      .optional()
      .meta({ description: 'Afterwards.', examples: [true] }),
  })
  .meta({ description: 'Empty where the values are personal or secret.' })

export const auditListResponse = listOf(
  named(
    'AuditEntry',
    z.strictObject({
      id: uuid.describe('Of the entry.'),
      at: unixTime.describe('When, in Unix seconds.'),
      action: z.enum(AUDIT_ACTIONS).describe('What was done.'),
      actor: z.string().meta({ description: 'Who did it.', examples: ['cli'] }),
      address: z
        .string()
        .nullable()
        .meta({ description: 'From where; null for the command line.', examples: ['203.0.113.7'] }),
      vault_id: uuid.nullable().describe('The vault that it was done to; null where it was none.'),
      subject: z.enum(AUDIT_SUBJECTS).describe('What it was done to.'),
      subject_id: uuid.nullable().meta({ description: 'Which one. Null for a sign-in of nobody we know.' }),
      changes: z.record(z.string(), change).meta({
        description:
          'What changed, by its name, with its values before and after. In an entry of more than 3,500 bytes, long values are replaced by their `sha256` and, for lists, `count`.',
        examples: [{ import_enabled: { from: false, to: true } }],
      }),
      count: z
        .int()
        .min(1)
        .meta({
          description:
            'How often it was done: once, but for failed sign-ins, which have one entry for each user and hour.',
          examples: [1],
        }),
    }),
  ),
)
