/** Helpers for tests of identifications: requests, and checks beyond the responses. */
import { asc, eq, ne } from 'drizzle-orm'
import { expect } from 'vitest'
import { serviceBlocks, webhookLogs } from '../../drizzle/schema.ts'
import { findIdentification } from '../../src/db/cases/identification.ts'
import { findServiceBlocksInForce } from '../../src/db/cases/service-block.ts'
import { readTimeline } from '../../src/db/commands/timeline.ts'
import type { Api } from './api.ts'
import { company, person } from './identification-bodies.ts'
import { eventually, type Instance, unique } from './instance.ts'

export { company, person }

/** The fact of an opened case, as its workflow receives it. */
export const openedCase = (caseId = unique()) => ({
  id: `opened-${caseId}`,
  kind: 'case_opened',
  caseId,
  owner: 'operator_operations',
  reason: 'aml_review',
  services: ['trades'],
})

/**
 * Creates an identification that waits on an operator, unless the name selects another result. Returns its
 * ID.
 */
export async function createSoftKyc(api: Api, more: object = {}): Promise<string> {
  const { status, body } = await api.post('/identifications/soft_kyc', person(more))
  expect(status).toBe(201)
  return body.data.id
}

/** Creates an approved identification and returns its ID. */
export async function createImported(api: Api, more: object = {}): Promise<string> {
  const { status, body } = await api.post('/identifications/import_identity', {
    external_uuid: unique(),
    ...more,
  })
  expect(status).toBe(201)
  return body.data.id
}

/** As `createSoftKyc`. Returns only when the identification waits on an operator. */
export async function createWaiting(gatehouse: Instance, more: object = {}): Promise<string> {
  const id = await createSoftKyc(gatehouse.api, more)
  await untilWaitingOn(gatehouse, id, 'operator')
  return id
}

export async function statusOf(api: Api, id: string): Promise<string> {
  const { status, body } = await api.get(`/identifications/${id}`)
  expect(status).toBe(200)
  return body.data.status
}

export const untilStatus = (api: Api, id: string, status: string) =>
  eventually(async () => expect(await statusOf(api, id)).toBe(status))

export async function recordOf({ db, vaultId }: Instance, id: string) {
  const identification = await findIdentification(db, vaultId, id)
  if (!identification) throw new Error('there is no such identification')
  return identification
}

export const untilWaitingOn = (gatehouse: Instance, id: string, party: string) =>
  eventually(async () => expect((await recordOf(gatehouse, id)).state.waitingOn).toBe(party))

/** Sends the events of identifications and accounts to this URL. */
export async function logEvents(gatehouse: Instance, url: string): Promise<void> {
  const { status } = await gatehouse.api.put('/users/update_webhook', {
    webhook_url: { identification: [url], account: [url] },
  })
  expect(status).toBe(200)
}

interface LoggedEvent {
  readonly event: string
  readonly attributes: Record<string, string | number>
}

/** Returns the events with a URL for this identification and its accounts, in the order of their versions. */
export async function eventsOf({ db }: Instance, id: string): Promise<LoggedEvent[]> {
  const rows = await db.orm
    .select({ payload: webhookLogs.payload })
    .from(webhookLogs)
    .where(ne(webhookLogs.urlsDestiny, []))
    .orderBy(asc(webhookLogs.id))
  return rows
    .map(({ payload }) => JSON.parse(payload).data as LoggedEvent)
    .filter(({ event, attributes }) => !event.startsWith('kyb_') && attributes.identification_uuid === id)
    .sort((a, b) => Number(a.attributes.version) - Number(b.attributes.version))
}

/** Returns the names and versions of these events. */
export const eventNamesOf = async (gatehouse: Instance, id: string): Promise<string[]> =>
  (await eventsOf(gatehouse, id)).map(({ event, attributes }) => `${event} ${attributes.version}`)

/** Returns the currently blocked services of all its accounts. */
export async function blocksOf(gatehouse: Instance, id: string) {
  const { accounts } = await recordOf(gatehouse, id)
  return findServiceBlocksInForce(
    gatehouse.db,
    accounts.map((account) => account.id),
  )
}

/** Returns all rows of services that a hold has ever blocked. */
export const blocksOfHold = ({ db }: Instance, holdId: string) =>
  db.orm.select().from(serviceBlocks).where(eq(serviceBlocks.holdId, holdId))

/** Returns whether an entry of the timeline is not only a read of the case. */
export const isChange = ({ action }: { action: string }): boolean => action !== 'case_read'

/** Returns the actions in the timeline, without reads of the case. */
export const actionsOf = async ({ db }: Instance, id: string): Promise<string[]> =>
  (await readTimeline(db, 'identification', id)).entries.filter(isChange).map(({ action }) => action)

/** Sends a fact as an operator does in the Temporal UI. */
export const signalFact = ({ temporal }: Instance, id: string, fact: unknown) =>
  temporal.workflow.getHandle(`identification-${id}`).signal('fact', fact)

const WITHOUT_EFFECT = /^created$|^malformed_fact$|^link_reissued$|_without_effect$/

/** Checks that the state, the timeline, the rows of blocked services and the events agree. */
export async function expectAgreement(gatehouse: Instance, id: string): Promise<void> {
  const { state, accounts } = await recordOf(gatehouse, id)
  const changes = (await actionsOf(gatehouse, id)).filter((action) => !WITHOUT_EFFECT.test(action))
  expect(state.version).toBe(1 + changes.length)

  const status = await statusOf(gatehouse.api, id)
  const blocks = (await blocksOf(gatehouse, id)).map(
    ({ holdId, accountId, service }) => `${holdId} ${accountId} ${service}`,
  )
  const expected = state.holds.flatMap((hold) =>
    accounts.flatMap((account) => hold.services.map((service) => `${hold.id} ${account.id} ${service}`)),
  )
  expect(blocks.sort()).toEqual(state.verification === 'approved' ? expected.sort() : [])

  const events = await eventsOf(gatehouse, id)
  const ofIdentification = events.filter(({ event }) => event.startsWith('identification_'))
  expect(ofIdentification.at(-1)?.attributes.status).toBe(status)
  const versions = ofIdentification.map(({ attributes }) => attributes.version)
  expect(versions).toEqual([...new Set(versions)])
  expect(Number(versions.at(-1))).toBeLessThanOrEqual(state.version)
  for (const account of accounts) {
    const own = events.filter(({ attributes }) => attributes.account_uuid === account.id)
    const turns = own.map(({ event }) => event).filter((event) => event !== 'account_created')
    // Accounts are locked and unlocked in turn, and the last event matches the status.
    expect(turns).toEqual(turns.map((_, n) => (n % 2 === 0 ? 'account_locked' : 'account_unlocked')))
    expect(turns.length % 2 === 1).toBe(status === 'blocked')
  }
}
