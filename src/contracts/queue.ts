/** What waits for somebody, and finding applications and identifications of every vault, by operators. */
import { z } from 'zod'
import type { QueueFilter } from '../domain/decision/queue.ts'
import { ENTITY_KINDS } from '../domain/entity.ts'
import { IDENTIFICATION_PARTIES, IDENTIFICATION_STATUSES } from '../domain/identification/identification.ts'
import { KYB_STATUSES } from '../domain/kyb/application.ts'
import { assignment } from './assignment.ts'
import { idParam, pageQuery, requiredText, seconds } from './common.ts'
import { listOf, named, unixTime, uuid } from './response.ts'

/** What can be asked of the queue, by programs and in the console alike. */
export const queueFilter = z.strictObject({
  kind: z.enum(ENTITY_KINDS).optional().describe('Applications or identifications alone.'),
  waiting_on: z
    .enum(IDENTIFICATION_PARTIES)
    .exclude(['nobody'])
    .default('operator')
    .describe('Who has to act next.'),
  vault_id: idParam.optional().describe('Of this vault alone; without it, of all.'),
  status: z
    .enum([...KYB_STATUSES, ...IDENTIFICATION_STATUSES])
    .optional()
    .describe('Of the application or the identification.'),
  waiting_longer_than: seconds.optional().meta({ description: 'In seconds.', examples: [3_600] }),
  assigned: z
    .string()
    .regex(
      /^(me|nobody|operator:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/,
      'Write me, nobody, or an operator as answers name one.',
    )
    .optional()
    .meta({ description: 'Who has it in hand: `me`, `nobody` or `operator:<id>`.', examples: ['me'] }),
  hits: z
    .enum(['true'])
    .optional()
    .meta({ description: 'Those of which a hit is open, whomever they wait for.' }),
})
export type QueueQuery = z.output<typeof queueFilter>

/** What is asked of the queue, as its rules name it. */
export const queueFilterOf = (asked: QueueQuery, actor: string): QueueFilter => ({
  kind: asked.kind,
  waitingOn: asked.waiting_on,
  vaultId: asked.vault_id,
  status: asked.status,
  waitingLongerThan: asked.waiting_longer_than,
  hits: asked.hits === 'true',
  assigned: asked.assigned === undefined ? undefined : { to: holderOf(asked.assigned, actor) },
})

const holderOf = (assigned: string, actor: string): string | null =>
  assigned === 'nobody' ? null : assigned === 'me' ? actor : assigned

export const listQueueQuery = queueFilter.extend(pageQuery(25))

const clientsId = (description: string, example: string) =>
  requiredText(255)
    .optional()
    .meta({ description, examples: [example] })
const name = (description: string, example: string) =>
  requiredText(500)
    .optional()
    .meta({ description, examples: [example] })
const everywhere = {
  email: requiredText(320)
    .optional()
    .meta({ description: 'The whole e-mail address.', examples: ['ada@example.com'] }),
  vault_id: idParam.optional().describe('Of this vault alone; without it, of all.'),
  ...pageQuery(25),
}

/** All that is given must match; a person's name needs the surname beside it. */
export const lookUpIdentificationsQuery = z
  .strictObject({
    external_uuid: clientsId('The client’s own id.', 'customer-1842'),
    name: name('Of a company, or first names beside the surname.', 'Ada'),
    surname: name('Beside the first names.', 'Lovelace'),
    ...everywhere,
  })
  .refine(({ external_uuid, email, name, surname }) => external_uuid ?? email ?? name ?? surname, {
    path: ['email'],
    error: 'Give an email, a name (of a person with its surname) or an external_uuid.',
  })

/** All that is given must match. Without a search term, all applications are listed. */
export const lookUpKybQuery = z.strictObject({
  external_id: clientsId('The client’s own id.', 'company-1842'),
  name: name('Of the company, whole.', 'Analytical Engines GmbH'),
  ...everywhere,
})

/** What an entry is about. */
export const subject = {
  kind: z.enum(ENTITY_KINDS).describe('What it is.'),
  id: uuid.describe('Of the application or the identification.'),
  title: z
    .string()
    .nullable()
    .meta({ description: 'The name of the company or the person.', examples: ['Ada Lovelace'] }),
}

const queueEntry = named(
  'QueueEntry',
  z.strictObject({
    ...subject,
    vault_id: uuid.describe('The vault of the client.'),
    status: z.string().meta({ description: 'How far it is.', examples: ['open'] }),
    version: z.int().min(1).meta({ description: 'Rises with every change; send it with a decision.' }),
    waiting_on: z.enum(IDENTIFICATION_PARTIES).describe('Who has to act next.'),
    waiting_since: unixTime.describe('Since when, in Unix seconds.'),
    open_hits: z.int().min(0).meta({ description: 'Entries of lists that nobody has decided about.' }),
    is_pending: z.boolean().meta({ description: 'A decision waits for a second operator.' }),
    ...assignment,
  }),
)
export const queueListResponse = listOf(queueEntry)
