/** Use cases for publishing platform events to the webhooks of vaults. */
import { v7 as newId } from 'uuid'
import type { Database } from '../../db/connection/database.ts'
import { withIdentity } from '../../db/webhooks/outbox.ts'
import {
  publishEvents as insertEvents,
  type NewEvent,
  type PublishOutcome,
} from '../../db/webhooks/published-event.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, hasPermission } from '../../domain/access/grant.ts'
import { canonicalJson } from '../../domain/base/canonical-json.ts'
import { type Problem, type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import { eventBody } from '../../domain/webhook/events.ts'
import type { AcceptedEvent, PublishedEvent } from '../../domain/webhook/published-event.ts'
import type { Encryption } from '../../storage/encryption.ts'
import type { Publisher } from '../../webhooks/publisher.ts'
import type { Deps } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'

/**
 * Publishes all events or none. `fieldOf` returns the name that refusals use for a field of the nth event. Throws
 * `invalid` for unknown vaults, and `event_id_taken` if an ID belongs to an event with other content.
 */
export async function publishEvents(
  { db, publisher, notifier }: Pick<Deps, 'db' | 'publisher' | 'notifier'>,
  operator: Granted,
  by: By,
  events: readonly PublishedEvent[],
  fieldOf: (n: number, field: string) => string,
  effect: Commit<AcceptedEvent[]>,
): Promise<AcceptedEvent[]> {
  await refuseUnknownVaults(publisher, operator, events, fieldOf)
  const rows = events.map((event) => ({ ...rowOf(db, event), name: event.name, by }))
  const accepted = (outcome: PublishOutcome | undefined): AcceptedEvent[] => {
    if (outcome && 'logIds' in outcome)
      return rows.map(({ eventId }, n) => ({ eventId, webhookLogIds: outcome.logIds[n] ?? [] }))
    const taken = outcome?.taken ?? []
    throw new RequestRefused(
      ...taken.map((n): Problem => ({ code: 'event_id_taken', field: fieldOf(n, 'event_id') })),
    )
  }
  // If no response needs to be stored, the events of several requests share a commit.
  if (!effect.isKeyed) return accepted(await publisher.publish(rows))
  let logIds: readonly string[] = []
  const done = await effect.commit(async (tx) => {
    const { outcomes, written } = await insertEvents(tx, [rows])
    logIds = written
    return accepted(outcomes[0])
  })
  notifier.notify(logIds)
  return done
}

publishEvents.refuses = ['event_id_taken'] as const satisfies Refusals

async function refuseUnknownVaults(
  { isVault }: Publisher,
  operator: Granted,
  events: readonly PublishedEvent[],
  fieldOf: (n: number, field: string) => string,
): Promise<void> {
  const ids = [...new Set(events.map(({ vaultId }) => vaultId))]
  const found = await Promise.all(
    ids.map(async (id) => hasPermission(operator, 'administer', id) && (await isVault(id))),
  )
  const unknown = new Set(ids.filter((_, n) => !found[n]))
  const problem = {
    code: 'invalid',
    message: 'There is no vault with this ID. Send the ID of a vault.',
  } as const
  const problems = events.flatMap(({ vaultId }, n): Problem[] =>
    unknown.has(vaultId) ? [{ ...problem, field: fieldOf(n, 'vault_id') }] : [],
  )
  if (problems.length > 0) throw new RequestRefused(...problems)
}

function rowOf(
  { encryption, span }: Database,
  { vaultId, topic, name, key, attributes, ownId }: PublishedEvent,
): Omit<NewEvent, 'name' | 'by'> & { readonly eventId: string } {
  const all = withIdentity({ ...attributes, ...(ownId && { event_id: ownId }) })
  const { event_id: _, ...said } = attributes
  return {
    id: newId(),
    vaultId,
    topic,
    payload: eventBody({ name, attributes: all }, key),
    traceparent: span.traceparent,
    eventId: String(all.event_id),
    own:
      ownId === null ? null : { eventId: ownId, contentHash: hashOf(encryption, [topic, name, key, said]) },
  }
}

/** Returns a hash of what the publisher sent, without the fields that Gatehouse adds. */
const hashOf = (encryption: Encryption, said: readonly unknown[]): string =>
  encryption.hash(canonicalJson(said), 'published_event').toString('hex')
