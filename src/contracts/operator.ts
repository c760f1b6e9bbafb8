/** Requests of operators that are about no single application or identification (design, section 6.7). */
import { z } from 'zod'
import { IDENTIFICATION_PARTIES } from '../domain/identification.ts'
import { dataOf, listOf, named, unixTime, uuid } from './answer.ts'
import { pageQuery, requiredText } from './common.ts'

export const listQueue = z.strictObject({
  kind: z.enum(['kyb', 'identification']).optional(),
  waiting_on: z.enum(IDENTIFICATION_PARTIES).exclude(['nobody']).default('operator'),
  ...pageQuery(25),
})

/** All that is given must match; a person's name needs the surname beside it. */
export const lookUpIdentifications = z
  .strictObject({
    email: requiredText(320).optional(),
    name: requiredText(500).optional(),
    surname: requiredText(500).optional(),
    ...pageQuery(25),
  })
  .refine(({ email, name, surname }) => email ?? name ?? surname, {
    path: ['email'],
    error: 'Give an email, or a name (of a person with its surname).',
  })

const vault = {
  name: requiredText(200),
  import_enabled: z.boolean(),
  internal_settlements_enabled: z.boolean(),
  /** A decimal fraction: 0.01 means 1%. */
  trading_fee: z.number().min(0, 'A fraction from 0 to 1.').max(1, 'A fraction from 0 to 1.'),
}

export const createVault = z.strictObject({
  name: vault.name,
  import_enabled: vault.import_enabled.default(false),
  internal_settlements_enabled: vault.internal_settlements_enabled.default(false),
  trading_fee: vault.trading_fee.default(0),
})

export const patchVault = z.strictObject(vault).partial()

const queueEntry = named(
  'QueueEntry',
  z.strictObject({
    kind: z.enum(['kyb', 'identification']),
    id: uuid,
    vault_id: uuid,
    status: z.string().meta({ examples: ['open'] }),
    waiting_on: z.enum(IDENTIFICATION_PARTIES),
    waiting_since: unixTime,
  }),
)
export const queueList = listOf(queueEntry)

export const timelineAnswer = dataOf(
  z.array(
    named(
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
        client_comment: z.string().nullable(),
        internal_note: z.string().nullable(),
        occurred_at: unixTime,
      }),
    ),
  ),
)

export const vaultAnswer = dataOf(
  named(
    'Vault',
    z.strictObject({
      id: uuid,
      name: z.string().meta({ examples: ['Analytical Engines'] }),
      import_enabled: z.boolean(),
      internal_settlements_enabled: z.boolean(),
      trading_fee: z.number().meta({ description: 'A decimal fraction: 0.01 means 1%.', examples: [0.01] }),
      created_at: unixTime,
    }),
  ),
)
