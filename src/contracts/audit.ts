/** What administrators did, read by operators who administer. */
import { z } from 'zod'
import { AUDIT_ACTIONS, AUDIT_SUBJECTS } from '../domain/audit.ts'
import { listOf, named, unixTime, uuid } from './answer.ts'
import { idParam, pageQuery, requiredText, unixQuery } from './common.ts'

export const listAuditQuery = z
  .strictObject({
    actor: requiredText(100)
      .meta({ description: '`operator:<id>`, `user:<id>`, `api_key:<id>`, `cli` or `nobody`.' })
      .optional(),
    action: z.enum(AUDIT_ACTIONS).optional(),
    vault_id: idParam.optional(),
    from: unixQuery.meta({ description: 'Unix seconds.' }).optional(),
    to: unixQuery.meta({ description: 'Unix seconds; this second is included.' }).optional(),
    ...pageQuery(25),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'Name a moment after `from`.',
  })

const change = z
  .strictObject({ from: z.unknown().optional(), to: z.unknown().optional() })
  .meta({ description: 'Empty where the values are personal or secret.' })

export const auditListAnswer = listOf(
  named(
    'AuditEntry',
    z.strictObject({
      id: uuid,
      at: unixTime,
      action: z.enum(AUDIT_ACTIONS),
      actor: z.string().meta({ description: 'Who did it.', examples: ['cli'] }),
      address: z
        .string()
        .nullable()
        .meta({ description: 'From where; null for the command line.', examples: ['203.0.113.7'] }),
      vault_id: uuid.nullable(),
      subject: z.enum(AUDIT_SUBJECTS),
      subject_id: uuid.nullable().meta({ description: 'Null for a sign-in of nobody we know.' }),
      changes: z.record(z.string(), change).meta({
        description: 'What changed, by its name, with its values before and after.',
        examples: [{ import_enabled: { from: false, to: true } }],
      }),
      count: z
        .int()
        .min(1)
        .meta({ description: 'Failed sign-ins have one entry for each user and hour.', examples: [1] }),
    }),
  ),
)
