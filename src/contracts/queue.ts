/** Schemas for the review queue and for the operators' search. */
import { z } from 'zod'
import { type Granted, type Permission, vaultsFor } from '../domain/access/grant.ts'
import { RISK_LEVELS } from '../domain/decision/risk.ts'
import { ENTITY_KINDS } from '../domain/entity/entity.ts'
import { IDENTIFICATION_PARTIES, IDENTIFICATION_STATUSES } from '../domain/identification/identification.ts'
import { KYB_STATUSES } from '../domain/kyb/application.ts'
import { CASE_STATUSES, QUEUE_ORDERS, QUEUE_REASONS, type QueueFilter } from '../domain/review/queue.ts'
import { assignment } from './assignment.ts'
import { described, idParam, pageQuery, requiredText, seconds, unchanged } from './common.ts'
import { VALUES } from './field.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

/** The filters of the queue, for programs and for the console. */
export const queueFilter = z.strictObject({
  kind: described(
    z.enum(ENTITY_KINDS).optional(),
    'Only applications (`kyb`) or only identifications (`identification`).',
  ),
  waiting_on: z
    .enum(IDENTIFICATION_PARTIES)
    .exclude(['nobody'])
    .default('operator')
    .describe('The party that must act next.'),
  vault_id: idParam.optional().describe('Only this vault. If omitted, all vaults.'),
  status: described(
    z.enum([...KYB_STATUSES, ...IDENTIFICATION_STATUSES]).optional(),
    'Only cases with this status.',
  ),
  waiting_longer_than: described(seconds.optional(), 'Minimum waiting time, in seconds.', 3_600),
  assigned: described(
    z
      .string()
      .regex(
        /^(me|nobody|operator:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/,
        'Send `me`, `nobody`, or an `operator:<id>` from a response.',
      )
      .optional(),
    'Assignment of the cases: `me`, `nobody` (not assigned) or `operator:<id>`.',
    'me',
  ),
  hits: described(
    z.enum(['true']).optional(),
    'Only cases with open screening hits, regardless of the party that must act next.',
  ),
  second_review: described(
    z.enum(['true']).optional(),
    'Only cases with another operator’s decision that awaits a second approval.',
  ),
  overdue: described(
    z.enum(['true']).optional(),
    'Only cases that have awaited review for longer than their vault’s review target.',
  ),
  country: VALUES.country.optional().describe('Only cases with this `country`, an ISO 3166-1 alpha-2 code.'),
  risk: z.enum(RISK_LEVELS).optional().describe('Only cases with this `risk_level`.'),
  sort: described(
    z.enum(QUEUE_ORDERS).optional(),
    'Order by the start of the wait. If omitted, `oldest` first.',
  ),
})
export type QueueQuery = z.output<typeof queueFilter>

/** Returns the query string of a filter. Equal filters have equal query strings. */
export const queryText = <Q extends object>(filter: z.ZodObject, asked: Q): string =>
  new URLSearchParams(
    Object.keys(filter.shape).flatMap((name) => {
      const value = asked[name as keyof Q]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  ).toString()

export const queueQueryText = (asked: QueueQuery): string => queryText(queueFilter, asked)

/** Returns the filter with the domain's names, limited to the vaults in which the operator has the permission. */
export const queueFilterOf = (
  asked: QueueQuery,
  { actor, ...operator }: Granted & { readonly actor: string },
  permission: Permission = 'read_cases',
): QueueFilter => ({
  kind: asked.kind,
  waitingOn: asked.waiting_on,
  scope: vaultsFor(operator, permission, asked.vault_id),
  status: asked.status,
  waitingLongerThan: asked.waiting_longer_than,
  hits: asked.hits === 'true',
  secondReviewBy: asked.second_review === 'true' ? actor : undefined,
  isOverdue: asked.overdue === 'true',
  isNewestFirst: asked.sort === 'newest',
  country: asked.country,
  riskLevel: asked.risk,
  assigned: asked.assigned === undefined ? undefined : { to: holderOf(asked.assigned, actor) },
})

const holderOf = (assigned: string, actor: string): string | null =>
  assigned === 'nobody' ? null : assigned === 'me' ? actor : assigned

export const caseFilter = z.strictObject({
  kind: queueFilter.shape.kind,
  vault_id: queueFilter.shape.vault_id,
  status: z.enum(CASE_STATUSES).optional(),
  country: queueFilter.shape.country,
  risk: queueFilter.shape.risk,
  sort: z.enum(QUEUE_ORDERS).optional(),
})
export type CaseQuery = z.output<typeof caseFilter>

export const listQueueQuery = queueFilter.extend(pageQuery(25))

const clientId = (description: string, example: string) =>
  described(requiredText(255, unchanged).optional(), description, example)
const name = (description: string, example: string) =>
  described(requiredText(500, unchanged).optional(), description, example)
const everywhere = {
  email: described(requiredText(320, unchanged).optional(), 'The complete email address.', 'ada@example.com'),
  vault_id: queueFilter.shape.vault_id,
  country: queueFilter.shape.country,
  risk: queueFilter.shape.risk,
  ...pageQuery(25),
}

/** The search for identifications. All parameters must match. A person's name requires the surname. */
export const lookUpIdentificationsQuery = z
  .strictObject({
    external_uuid: clientId('The client’s own ID.', 'customer-1842'),
    name: name('A company’s name or, together with `surname`, a person’s first names.', 'Ada'),
    surname: name('A person’s surname, together with the first names in `name`.', 'Lovelace'),
    ...everywhere,
  })
  .refine(
    ({ external_uuid, email, name, surname, country, risk }) =>
      external_uuid ?? email ?? name ?? surname ?? country ?? risk,
    {
      path: ['email'],
      error:
        'The request has no search term. Send an external_uuid, an email, a name (for a person with the surname), a country or a risk.',
    },
  )

/** The search for applications. All parameters must match. Without a search term, the search lists all applications. */
export const lookUpKybQuery = z.strictObject({
  external_id: clientId('The client’s own ID.', 'company-1842'),
  name: name('The company’s complete name.', 'Analytical Engines GmbH'),
  ...everywhere,
})

export const subject = {
  kind: z.enum(ENTITY_KINDS).describe('Type of the case. `kyb` is an application.'),
  id: uuid.describe('ID of the application or the identification.'),
  title: described(
    z.string().nullable(),
    'The company’s or person’s name. Null if it is not known.',
    'Ada Lovelace',
  ),
}

/** The version of a resource, and the party on which it waits. */
export const standing = {
  version: described(
    z.int().min(1),
    'Version of the resource. It increases with every change. Send it with a decision.',
  ),
  waiting_on: z.enum(IDENTIFICATION_PARTIES).describe('The party that must act next.'),
  waiting_since: unixTime.describe('Start of the wait, in Unix seconds.'),
}

const searchEntry = named(
  'SearchEntry',
  z.strictObject({
    ...subject,
    vault_id: uuid.describe('ID of the vault.'),
    status: described(z.string(), 'Status of the application or the identification.', 'open'),
    ...standing,
    open_hits: z.int().min(0).meta({ description: 'Number of open screening hits.' }),
    is_pending: z.boolean().meta({ description: 'Whether a decision awaits a second approval.' }),
    ...assignment,
  }),
)
export const searchListResponse = listOf(searchEntry)

const progress = (name: string, done: string, total: string) =>
  named(
    name,
    z.strictObject({
      done: z.int().min(0).meta({ description: done }),
      total: z.int().min(1).meta({ description: total }),
    }),
  ).nullable()

const queueEntry = named(
  'QueueEntry',
  searchEntry.extend({
    reason: described(
      z.enum(QUEUE_REASONS).nullable(),
      'The most important reason for a review. Null if the case is waiting on another party.',
    ),
    due_at: described(
      unixTime.nullable(),
      'End of the vault’s review target, in Unix seconds. Null if the case is not awaiting review.',
    ),
    country: described(
      z.string().nullable(),
      'Country of incorporation, or of the person’s residence or nationality. An ISO 3166-1 alpha-2 code. Null if it is not known.',
      'DE',
    ),
    risk_level: described(
      z.enum(RISK_LEVELS).nullable(),
      '`high` if there are open or confirmed hits or a high-risk country, `medium` if there is another risk, otherwise `low`. Null if the data is damaged.',
    ),
    documents: progress(
      'DocumentProgress',
      'Number of required documents or photos that are provided.',
      'Number of required documents or photos.',
    ).describe('Progress of the required documents and photos. Null if the case needs none.'),
    corrections: progress(
      'CorrectionProgress',
      'Number of corrections that were made.',
      'Number of requested corrections.',
    ).describe('Corrections of a case with the reason `resubmitted`. Null if their number is not known.'),
  }),
)
export const queueListResponse = listOf(queueEntry)

export const assignedNextResponse = dataOf(
  z
    .strictObject({
      kind: subject.kind,
      id: subject.id,
      vault_id: uuid.describe('ID of the vault.'),
    })
    .nullable()
    .describe('The case. Null if no unassigned case matches.'),
)
