/** What waits for somebody, and finding applications and identifications of every vault, by operators. */
import { z } from 'zod'
import { ENTITY_KINDS } from '../domain/entity.ts'
import { IDENTIFICATION_PARTIES, IDENTIFICATION_STATUSES } from '../domain/identification.ts'
import { KYB_STATUSES } from '../domain/kyb-application.ts'
import { listOf, named, unixTime, uuid } from './answer.ts'
import { assignment } from './assignment.ts'
import { idParam, pageQuery, requiredText, seconds } from './common.ts'

/** What can be asked of the queue, by programs and in the console alike. */
export const queueFilter = z.strictObject({
  kind: z.enum(ENTITY_KINDS).optional(),
  waiting_on: z.enum(IDENTIFICATION_PARTIES).exclude(['nobody']).default('operator'),
  vault_id: idParam.optional(),
  status: z.enum([...KYB_STATUSES, ...IDENTIFICATION_STATUSES]).optional(),
  waiting_longer_than: seconds.optional(),
  assigned: z
    .string()
    .regex(/^(me|nobody|operator:[\da-f-]{36})$/, 'Write me, nobody, or an operator as answers name one.')
    .optional(),
  hits: z
    .enum(['true'])
    .optional()
    .meta({ description: 'Those of which a hit is open, whomever they wait for.' }),
})
export type QueueQuery = z.output<typeof queueFilter>

export const listQueueQuery = queueFilter.extend(pageQuery(25))

const name = requiredText(500).optional()
const everywhere = { email: requiredText(320).optional(), vault_id: idParam.optional(), ...pageQuery(25) }

/** All that is given must match; a person's name needs the surname beside it. */
export const lookUpIdentificationsQuery = z
  .strictObject({ external_uuid: requiredText(255).optional(), name, surname: name, ...everywhere })
  .refine(({ external_uuid, email, name, surname }) => external_uuid ?? email ?? name ?? surname, {
    path: ['email'],
    error: 'Give an email, a name (of a person with its surname) or an external_uuid.',
  })

export const lookUpKybQuery = z
  .strictObject({ external_id: requiredText(255).optional(), name, ...everywhere })
  .refine(({ external_id, email, name }) => external_id ?? email ?? name, {
    path: ['email'],
    error: 'Give an email, a name or an external_id.',
  })

const queueEntry = named(
  'QueueEntry',
  z.strictObject({
    kind: z.enum(ENTITY_KINDS),
    id: uuid,
    title: z
      .string()
      .nullable()
      .meta({ description: 'The name of the company or the person.', examples: ['Ada Lovelace'] }),
    vault_id: uuid,
    status: z.string().meta({ examples: ['open'] }),
    version: z.int().min(1).meta({ description: 'Rises with every change; send it with a decision.' }),
    waiting_on: z.enum(IDENTIFICATION_PARTIES),
    waiting_since: unixTime,
    open_hits: z.int().min(0).meta({ description: 'Entries of lists that nobody has decided about.' }),
    is_pending: z.boolean().meta({ description: 'A decision waits for a second operator.' }),
    ...assignment,
  }),
)
export const queueListAnswer = listOf(queueEntry)
