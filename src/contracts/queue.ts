/** What waits for somebody, and finding identifications of every vault, by operators. */
import { z } from 'zod'
import { ENTITY_KINDS } from '../domain/entity.ts'
import { IDENTIFICATION_PARTIES } from '../domain/identification.ts'
import { listOf, named, unixTime, uuid } from './answer.ts'
import { pageQuery, requiredText } from './common.ts'

export const listQueueQuery = z.strictObject({
  kind: z.enum(ENTITY_KINDS).optional(),
  waiting_on: z.enum(IDENTIFICATION_PARTIES).exclude(['nobody']).default('operator'),
  ...pageQuery(25),
})

/** All that is given must match; a person's name needs the surname beside it. */
export const lookUpIdentificationsQuery = z
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

const queueEntry = named(
  'QueueEntry',
  z.strictObject({
    kind: z.enum(ENTITY_KINDS),
    id: uuid,
    vault_id: uuid,
    status: z.string().meta({ examples: ['open'] }),
    waiting_on: z.enum(IDENTIFICATION_PARTIES),
    waiting_since: unixTime,
  }),
)
export const queueListAnswer = listOf(queueEntry)
