/** Tests checks by an HTTP provider that responds early, late, twice, inconsistently or not at all. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../dev/launcher/ports.ts'
import { createProvider } from '../../../dev/provider/provider.ts'
import { checkLinks, verificationChecks } from '../../../drizzle/schema.ts'
import { findCheck } from '../../../src/db/cases/verification-check.ts'
import { insertCheckFact } from '../../../src/db/commands/pending-fact.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { openConsole } from '../../support/console.ts'
import { conclude, eraseHere } from '../../support/erasure.ts'
import { historyText } from '../../support/history.ts'
import {
  actionsOf,
  createSoftKyc,
  expectAgreement,
  logEvents,
  recordOf,
  signalFact,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../../support/identification.ts'
import { addVault, eventually, startInstance, unique } from '../../support/instance.ts'
import { agePendingFacts } from '../../support/pending-fact.ts'
import { beginPerson, fillInPerson, openPerson, PERSON, submitPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'
import { spawnProcess } from '../../support/processes.ts'
import { type AskedCheck, answer, SECRET, send, signed, startProvider } from '../../support/provider.ts'
import { reconcile } from '../../support/webhook.ts'

const provider = await startProvider()
const port = await freePort()
const gatehouse = await startInstance({
  env: {
    VERIFICATION_PROVIDER: 'http',
    VERIFICATION_PROVIDER_URL: provider.url,
    VERIFICATION_PROVIDER_SECRET: SECRET,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  },
})
const { api, db } = gatehouse
// The callback URL in requests to the provider leads to this server.
const server = createHttpServer(gatehouse.app).listen(port, '127.0.0.1')
await once(server, 'listening')
await logEvents(gatehouse, provider.url)
const operator = await gatehouse.operator()
const dying = await askAndDie()
const worker = await gatehouse.startWorker()
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await gatehouse.stop()
  await provider.stop()
})

/** Kills a worker during its request to the provider. The last tests check the result after the heartbeat timeout. */
async function askAndDie() {
  const spawned = spawnProcess('src/worker.ts', { ...gatehouse.env, LOG_LEVEL: 'trace' })
  await spawned.ready()
  provider.when('Broken', (_check, res) => res.destroy())
  await createSoftKyc(api, { surname: 'Broken' })
  await spawned.wrote('did not respond')
  provider.when('Held', (_check, res, nth) => nth > 1 && res.writeHead(202).end())
  const id = await createSoftKyc(api, { surname: 'Held' })
  await provider.untilAsked(id)
  await spawned.stop('SIGKILL')
  return { id, output: spawned.output() }
}

const decide = (id: string, outcome: string) =>
  operator.post(`/identifications/${id}/decision`, { outcome, reason_code: 'other' })
const checksOf = async (id: string) => (await operator.get(`/identifications/${id}`)).body.data.checks
const asked = async (more: object = {}) => {
  const id = await createSoftKyc(api, more)
  return { id, check: await provider.untilAsked(id) }
}
/** Waits until the workflow waits for the result of the check. */
const untilWaited = ({ check_id }: AskedCheck) =>
  eventually(async () => {
    const [row] = await db.orm.select().from(verificationChecks).where(eq(verificationChecks.id, check_id))
    expect(row?.taskToken).toEqual(expect.any(String))
  })

describe('people', () => {
  test('are approved by the result of their only check, even if the history grows long in the meantime', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    const handle = gatehouse.temporal.workflow.getHandle(`identification-${id}`)
    const { runId } = await handle.describe()
    for (let n = 0; n < 100; n += 1) await handle.signal('fact', { id: `nothing-${n}`, kind: 'nothing' })
    await eventually(async () => expect((await handle.describe()).runId).not.toBe(runId))
    await untilWaited(check)
    expect(await answer(check, 'approved')).toBe('200')
    await untilStatus(api, id, 'approved')
    expect(await checksOf(id)).toMatchObject([{ id: check.check_id, outcome: 'approved' }])
  })
  test('are checked with their data and photos, must replace one photo, and are then approved', async () => {
    const person = await openPerson(gatehouse.baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person)
    await submitPerson(person)
    const first = await provider.untilAsked(person.id)
    expect(first).toMatchObject({ kind: 'person', origin: 'hosted', profile: { city: 'London' } })
    expect(Object.keys(first.profile).sort()).toEqual(
      Object.keys({ ...PERSON.details, ...PERSON.document }).sort(),
    )
    expect(first.documents.map(({ attribute }) => attribute)).toEqual([
      'document_front',
      'document_back',
      'selfie',
    ])
    await untilWaited(first)
    const { documents } = first
    for (const { url, sha256 } of documents) {
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(405)
      const statuses: number[] = []
      for (let n = 0; n < 4; n += 1) {
        const response = await fetch(url)
        statuses.push(response.status)
        if (!response.ok) continue
        const bytes = Buffer.from(await response.arrayBuffer())
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
      }
      expect(statuses).toEqual([200, 200, 200, 404])
    }
    const more = { reason_code: 'documents_unreadable', fields: ['selfie'] }
    expect(await answer(first, 'initiated', more)).toBe('200')
    await untilWaitingOn(gatehouse, person.id, 'applicant')
    await person.upload('selfie', photoFile(await photograph()))
    await submitPerson(person)
    const second = await provider.untilAsked(person.id, 2)
    expect(second.check_id).not.toBe(first.check_id)
    await untilWaited(second)
    // The first check does not cover the newer data.
    expect(await answer(first, 'rejected')).toBe('409 check_answered')
    await db.orm.update(checkLinks).set({ expiresAt: sql`clock_timestamp()` })
    expect((await fetch(String(second.documents[0]?.url))).status).toBe(404)
    expect(await answer(second, 'approved')).toBe('200')
    await untilStatus(api, person.id, 'approved')
    const actions = await actionsOf(gatehouse, person.id)
    expect(actions.filter((action) => action === 'file_read')).toHaveLength(9)
    expect(actions).toContain('check_contradicted')
    expect(await checksOf(person.id)).toMatchObject([
      { provider: 'http', outcome: 'initiated', fields: ['selfie'], reason_code: 'documents_unreadable' },
      { outcome: 'approved', asked_at: expect.any(Number), answered_at: expect.any(Number), failure: null },
    ])
    const console = await openConsole(gatehouse.baseUrl, gatehouse.credentials)
    expect(await console.text(`/console/identifications/${person.id}`)).toMatch(
      /Information requested.*Documents unreadable: Photo of the person/s,
    )
    // The history must contain neither the entered data nor the links.
    const text = await historyText(gatehouse, `identification-${person.id}`)
    for (const secret of [...Object.values(first.profile), ...documents.map(({ url }) => url), SECRET])
      if (secret.length > 2) expect(text).not.toContain(secret)
    expect(text).toContain(second.check_id)
  })
})

test('asks the provider again if operators proposed and withdrew a decision during the request', async () => {
  const other = await addVault(gatehouse)
  await operator.patch(`/vaults/${other.vaultId}`, { four_eyes: ['rejections'] })
  let takeOn = () => {}
  provider.when('Turned', (_check, res) => {
    takeOn = () => res.writeHead(202).end()
  })
  const id = await createSoftKyc(other.api, { surname: 'Turned' })
  const first = await provider.untilAsked(id)
  expect((await decide(id, 'rejected')).body.pending_confirmation.outcome).toBe('rejected')
  expect((await operator.post(`/identifications/${id}/decision/withdraw`)).status).toBe(200)
  provider.when('Turned', (_check, res) => res.writeHead(202).end())
  takeOn()
  const second = await provider.untilAsked(id, 2)
  expect(second.check_id).not.toBe(first.check_id)
  await untilWaited(second)
  expect(await answer(second, 'approved')).toBe('200')
  await untilStatus(other.api, id, 'approved')
})

test('the example provider accepts a check, fetches the documents and sends a result', async () => {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  const example = createProvider({ secret: SECRET, delayMs: 0, print }).listen(0, '127.0.0.1')
  await once(example, 'listening')
  const url = `http://127.0.0.1:${(example.address() as AddressInfo).port}/`
  let failures = 1
  let opened = ''
  const failing = createServer((_req, res) =>
    res.writeHead(failures-- > 0 ? 503 : 302, { Location: opened }).end(),
  ).listen(0, '127.0.0.1')
  await once(failing, 'listening')
  const link = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`
  provider.when('Example', async ({ documents, ...check }, res) => {
    const [first, ...others] = documents as [AskedCheck['documents'][0], ...AskedCheck['documents']]
    opened = first.url
    const attributes = { ...check, documents: [{ ...first, url: link }, ...others] }
    const body = JSON.stringify({ data: { event: 'check_requested', attributes } })
    const { status } = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'Service-Signature': signed(body) },
    })
    res.writeHead(status).end()
  })
  const submit = async () => {
    const person = await openPerson(gatehouse.baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person, { surname: 'Example' })
    await submitPerson(person)
    return person.id
  }
  await untilStatus(api, await submit(), 'approved')
  await eventually(() => expect(lines.at(-1)).toContain('answered {"outcome":"approved"}: 200'))
  expect(lines.filter((line) => line.endsWith('returned 503'))).toHaveLength(1)
  expect(lines.filter((line) => line.endsWith('bytes, whole'))).toHaveLength(3)
  // If a document cannot be fetched, operators decide.
  failures = 3
  await untilWaitingOn(gatehouse, await submit(), 'operator')
  await eventually(() => expect(lines.at(-1)).toContain('answered {"outcome":"manual"}: 200'))
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  example.close()
  failing.close()
})

describe('the provider’s result', () => {
  test('takes effect once if it is repeated, and a different result is refused and recorded', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    expect(await Promise.all([answer(check, 'attention'), answer(check, 'attention')])).toEqual([
      '200',
      '200',
    ])
    await untilStatus(api, id, 'attention')
    expect(await answer(check, 'attention')).toBe('200')
    expect(await answer(check, 'approved')).toBe('409 check_answered')
    expect(await answer(check, 'approved')).toBe('409 check_answered')
    const actions = await actionsOf(gatehouse, id)
    expect(actions.filter((action) => action.startsWith('check_'))).toEqual([
      'check_finished',
      'check_contradicted',
    ])
    expect(await statusOf(api, id)).toBe('attention')
  })
  test('takes effect if it arrives before the response to the request', async () => {
    provider.when('Early', async (check, res) => {
      expect(await answer(check, 'approved')).toBe('200')
      res.writeHead(200).end()
    })
    const { id } = await asked({ surname: 'Early' })
    await untilStatus(api, id, 'approved')
    await expectAgreement(gatehouse, id)
  })
  test('changes nothing after an operator’s decision, but is recorded', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    expect((await decide(id, 'approved')).status).toBe(200)
    expect(await answer(check, 'rejected')).toBe('200')
    expect(await statusOf(api, id)).toBe('approved')
    expect(await actionsOf(gatehouse, id)).toContain('check_finished_without_effect')
    expect(await checksOf(id)).toMatchObject([{ outcome: 'rejected' }])
    await expectAgreement(gatehouse, id)
  })
  test('changes nothing after erasure, but is recorded', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
    await conclude(gatehouse, id, 6)
    expect((await eraseHere(gatehouse, { identification: id })).complete).toBe(true)
    expect(await answer(check, 'approved')).toBe('200')
    expect(await statusOf(api, id)).toBe('closed')
    expect(await actionsOf(gatehouse, id)).toContain('check_finished_without_effect')
  })
  test('is recorded after the deadline, but an operator decides', async () => {
    provider.when('Silent', async (check, res) => {
      // One second remains before the deadline.
      await db.orm
        .update(verificationChecks)
        .set({ acceptedAt: new Date(Date.now() - 24 * 3_600_000 + 1_000) })
        .where(eq(verificationChecks.id, check.check_id))
      res.writeHead(202).end()
    })
    const { id, check } = await asked({ surname: 'Silent' })
    await untilWaitingOn(gatehouse, id, 'operator')
    expect(await answer(check, 'approved')).toBe('200')
    expect(await checksOf(id)).toMatchObject([{ failure: 'no_answer', outcome: 'approved' }])
    expect(await statusOf(api, id)).toBe('initiated')
    expect(await actionsOf(gatehouse, id)).toContain('check_finished_without_effect')
  })
  test('is signalled by housekeeping if the workflow has not received it', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    await db.orm
      .update(verificationChecks)
      .set({ outcome: 'approved', answeredAt: new Date(), settledAt: new Date(Date.now() - 60_000) })
      .where(eq(verificationChecks.id, check.check_id))
    const settled = await findCheck(db, check.check_id)
    if (settled) await insertCheckFact(db, settled)
    await agePendingFacts(gatehouse, id)
    await reconcile(gatehouse)
    await untilStatus(api, id, 'approved')
  })
  test('restores a lost workflow, and the provider receives no second request', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    await gatehouse.temporal.workflow.getHandle(`identification-${id}`).terminate('by mistake')
    expect(await answer(check, 'approved')).toBe('200')
    await untilStatus(api, id, 'approved')
    expect(provider.askedOf(id)).toHaveLength(1)
  })
})

describe('requests to the provider', () => {
  test('are repeated with the same ID until the provider accepts them', async () => {
    provider.when('Unsteady', (_check, res, nth) => {
      if (nth === 1) res.destroy()
      else res.writeHead(nth === 2 ? 503 : 202).end()
    })
    const { id } = await asked({ surname: 'Unsteady' })
    const check = await provider.untilAsked(id, 3)
    await untilWaited(check)
    expect(new Set(provider.askedOf(id).map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await answer(check, 'approved')).toBe('200')
    await untilStatus(api, id, 'approved')
  })
  test.each([
    ['refuses', 422],
    ['redirects', 307],
  ])('leave the decision to an operator if the provider %s them', async (surname, status) => {
    provider.when(surname, (_check, res) => res.writeHead(status, { Location: provider.url }).end())
    const { id } = await asked({ surname })
    await untilWaitingOn(gatehouse, id, 'operator')
    expect(provider.askedOf(id)).toHaveLength(1)
    expect(await checksOf(id)).toMatchObject([{ failure: 'refused', outcome: null, accepted_at: null }])
  })
})

describe('refusals', () => {
  test('apply to results with a missing, expired or wrong signature, and to invalid bodies', async () => {
    const { id, check } = await asked()
    const { check_id, callback_url } = check
    const body = JSON.stringify({ check_id, outcome: 'approved' })
    const now = Math.floor(Date.now() / 1000)
    expect(await send(callback_url, body, '')).toBe('401 invalid_signature')
    expect(await send(callback_url, body, signed(body, 'another secret'))).toBe('401 invalid_signature')
    expect(await send(callback_url, body, signed(body, SECRET, now - 400))).toBe('401 invalid_signature')
    expect(await send(callback_url, `${body} `, signed(body))).toBe('401 invalid_signature')
    expect(await send(callback_url, '{')).toBe('400 malformed_request')
    expect(await send(callback_url, '['.repeat(30))).toBe('400 malformed_request')
    expect(await send(callback_url, '[]')).toBe('422 invalid')
    expect(await answer(check, 'perhaps')).toBe('422 invalid outcome')
    expect(await answer(check, 'approved', { more: 1 })).toBe('422 unknown_field more')
    expect(await answer(check, 'approved', { fields: ['selfie'] })).toBe('422 invalid fields')
    expect(await answer(check, 'initiated')).toBe('422 invalid reason_code')
    const mend = { reason_code: 'other', fields: ['selfie'] }
    expect(await answer(check, 'initiated', mend)).toBe('422 invalid fields')
    expect(await answer({ ...check, check_id: unique() }, 'approved')).toBe('422 invalid check_id')
    const other = unique()
    const elsewhere = callback_url.replace(check_id, other)
    expect(await answer({ ...check, check_id: other, callback_url: elsewhere }, 'approved')).toBe(
      '404 not_found',
    )
    expect((await fetch(callback_url)).status).toBe(405)
    expect((await fetch(`http://127.0.0.1:${port}/provider/files/nothing`)).status).toBe(404)
    expect(await checksOf(id)).toMatchObject([{ outcome: null, answered_at: null }])
  })
  test('apply to signals sent by hand with the result of a check', async () => {
    const { id, check } = await asked()
    await untilWaited(check)
    const before = await recordOf(gatehouse, id)
    const { check: others } = await asked()
    expect(await answer(others, 'approved')).toBe('200')
    const fact = { kind: 'check_finished', outcome: 'approved' }
    await signalFact(gatehouse, id, { ...fact, id: unique(), checkId: unique() })
    await signalFact(gatehouse, id, { ...fact, id: unique(), checkId: check.check_id })
    await signalFact(gatehouse, id, { ...fact, id: unique(), checkId: others.check_id })
    await eventually(async () => {
      const actions = await actionsOf(gatehouse, id)
      expect(actions.filter((action) => action === 'check_finished_without_effect')).toHaveLength(3)
    })
    expect((await recordOf(gatehouse, id)).state).toEqual(before.state)
    expect(await answer(check, 'rejected')).toBe('200')
    await untilStatus(api, id, 'rejected')
  })
})

test('repeats the same check with another worker if the first is killed, and logs no personal data', async () => {
  const again = await provider.untilAsked(dying.id, 2)
  expect(again).toEqual(provider.askedOf(dying.id)[0])
  await untilWaited(again)
  await answer(again, 'approved')
  await untilStatus(api, dying.id, 'approved')
  for (const secret of ['Broken', 'Held', 'ada@example.com', SECRET])
    expect(dying.output).not.toContain(secret)
})

test('keeps requests and results while no worker is running', async () => {
  const { id, check } = await asked()
  await untilWaited(check)
  await worker.stop()
  expect(await answer(check, 'approved')).toBe('200')
  const later = await createSoftKyc(api)
  await gatehouse.startWorker()
  await untilStatus(api, id, 'approved')
  await answer(await provider.untilAsked(later), 'approved')
  await untilStatus(api, later, 'approved')
})
