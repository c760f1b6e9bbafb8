/** Erasure: nothing personal is left of an identification in any place that keeps anything. */
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { commands, pageSessions, webhookLogs } from '../../drizzle/schema.ts'
import { openPageSession } from '../../src/db/access/page-session.ts'
import { readIdentificationSnapshot } from '../../src/db/cases/snapshot.ts'
import { lowestIdAt } from '../../src/db/connection/id-time.ts'
import { RequestRefused } from '../../src/domain/errors.ts'
import { BENEFICIARY_FIELDS } from '../../src/domain/kyb/fields/beneficiaries.ts'
import { blobsIn, expectErrors } from '../support/checks.ts'
import { dumpBlobs, dumpSealed, dumpTables, dumpTemporal } from '../support/dump.ts'
import { conclude, runErase } from '../support/erasure.ts'
import { statusOf, untilWaitingOn } from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { createList } from '../support/list.ts'
import {
  createPlants,
  foundIn,
  plantApplicant,
  planted,
  plantHolds,
  plantHosted,
  plantKyb,
  plantListed,
  plantPerson,
} from '../support/plants.ts'
import { startReceiver } from '../support/receiver.ts'
import { insertLogs, reconcile } from '../support/webhook.ts'

const plants = createPlants()
/** Of somebody who is not erased. */
const others = createPlants()

const list = createList()
const gatehouse = await startInstance({ env: { SCREENING_LIST_DIR: list.folder } })
await gatehouse.startWorker()
const { api } = gatehouse
const operator = await gatehouse.operator()
const [refusing, accepting] = [plants.text('refusing receiver'), plants.text('accepting receiver')]
const receiver = await startReceiver((res, nth) =>
  nth === 0 ? res.writeHead(500).end(refusing) : res.writeHead(200).end(accepting),
)
const webhook_url = { identification: [receiver.url], account: [receiver.url] }
await api.put('/users/update_webhook', { webhook_url })
const company = await plantKyb(plants, api, operator, gatehouse.baseUrl)
await api.post(`/kyb/validate_password/${company.id}`, { password: 'wrong' })
await plantHolds(plants, api, operator, company.identificationId)
const person = await plantPerson(plants, api, operator)
const listed = await plantListed(plants, api, operator, list)
const hosted = await plantHosted(plants, api, gatehouse.baseUrl)
const undelivered = () => gatehouse.db.orm.$count(webhookLogs, sql`status IN ('pending', 'processing')`)
await eventually(async () => expect(await undelivered()).toBe(0), 50_000)
await api.put('/users/update_webhook', { webhook_url: { identification: [], account: [] } })
await plantPerson(others, api, operator)
await addFreeAttribute()
for (const id of [company.identificationId, person, listed, hosted.id]) await conclude(gatehouse, id, 6)
await openPageSession(gatehouse.db, 'of a browser', company.identificationId)
afterAll(async () => {
  await receiver.stop()
  await gatehouse.stop()
  list.remove()
})

/** As an event has that the platform around Gatehouse published. */
async function addFreeAttribute(): Promise<void> {
  const attribute = JSON.stringify({ sender: plants.text('free attribute') })
  await gatehouse.db.orm.execute(sql`UPDATE webhook_logs
    SET payload = jsonb_set(payload::jsonb, '{data,attributes}', payload::jsonb #> '{data,attributes}' || ${attribute}::jsonb)::text
    WHERE payload LIKE ${`%${company.identificationId}%`}`)
  // In whatever case an id is written, it is that id.
  const text = `${plants.text('attribute beside an id in capitals')} ${company.identificationId.toUpperCase()}`
  await insertLogs(gatehouse, gatehouse.vaultId, { text })
}

/** Everything that is kept in any place, sealed things opened. */
async function everything(): Promise<string> {
  const { db, config, temporal } = gatehouse
  const parts = [await dumpTables(db), await dumpSealed(db), dumpBlobs(config, db)]
  return [...parts, await dumpTemporal(temporal)].join('\n')
}

test('before it, what was planted is found, so that the search means something', async () => {
  const unsaid = ['link token', 'check.cookie', 'applicant.cookie']
  const expected = [...plants.texts.keys()].filter((where) => !unsaid.includes(where))
  expect(foundIn(plants, await everything())).toEqual(expected)
})

test('the erasure of what is due leaves nothing of it in any place, and all of the others', async () => {
  const { code, output } = await runErase(gatehouse, '--due', '--yes')
  expect(code, output).toBe(0)
  for (const id of [company.identificationId, person, listed, hosted.id])
    expect(output).toContain(`Erased ${id}.`)
  const left = await everything()
  expect(foundIn(plants, left)).toEqual([])
  expect(foundIn(others, left)).toContain('decision note')
  expect(blobsIn(gatehouse.config.BLOB_DIR)).toEqual([])
})

describe('what stays', () => {
  test('the identification with its ids, status and code, without a name, and when it was erased', async () => {
    const { status, body } = await api.get(`/identifications/${person}`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ id: person, status: 'rejected', name: '', surname: '' })
    expect(body.data.erased_at).toBeGreaterThan(1_700_000_000)
    expect(body.data.review).toMatchObject({
      outcome: 'rejected',
      reason_code: 'high_risk',
      client_comment: null,
    })
    expect(await statusOf(api, company.identificationId)).toBe('blocked')
  })
  test('the application, empty, with its outcome', async () => {
    const { body } = await api.get(`/kyb/${company.id}`)
    expect(body.data).toMatchObject({ id: company.id, status: { processed: true } })
    expect(body.data.nature_of_business).not.toHaveProperty('legal_company_name', expect.any(String))
    expect(body.data.beneficiaries.beneficiaries_list).toEqual([])
    expect(body.data.review).toMatchObject({ outcome: 'approved', client_comment: null })
  })
  test('who did what and when, and that it was erased', async () => {
    const { body } = await operator.get(`/identifications/${company.identificationId}/timeline`)
    const actions = body.data.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(expect.arrayContaining(['created', 'kyb_processed', 'block', 'close', 'erased']))
    for (const entry of body.data) expect(entry.internal_note).toBe(null)
    const kyb = await operator.get(`/kyb/${company.id}/timeline`)
    expect(kyb.body.data.at(-1)).toMatchObject({ action: 'erased', from: 'processed', to: 'processed' })
  })
  test('the events that were sent, with their ids and states', async () => {
    const { body } = await api.get('/webhook_logs?type=account&status=completed')
    const locked = body.data.map(({ payload }: { payload: object }) => payload)
    expect(locked).toContainEqual({
      data: {
        event: 'account_locked',
        attributes: {
          event_id: expect.any(String),
          occurred_at: expect.any(Number),
          version: expect.any(Number),
          identification_uuid: company.identificationId,
          account_uuid: expect.any(String),
          status: 'locked',
        },
      },
    })
    const told = await api.get(`/webhook_logs?type=identification&status=all&search=kyb_processed`)
    const processed = told.body.data.map(({ payload }: { payload: object }) => payload)
    expect(processed).toContainEqual({
      data: {
        event: 'kyb_processed',
        attributes: expect.objectContaining({
          kyb_uuid: company.id,
          external_id: expect.any(String),
          reason_code: expect.any(String),
          outcome: 'approved',
        }),
      },
    })
  })
})

describe('afterwards', () => {
  test('whatever would change it is refused, with a code that says why', async () => {
    const erased = [
      await api.put(`/identifications/${person}`, { city: 'Paris' }),
      await api.put(`/identifications/${person}/close`),
      await api.post(`/identifications/${company.identificationId}/block`, { reason: 'legal_order' }),
      await api.post(`/identifications/${company.identificationId}/unblock`),
      await operator.post(`/identifications/${person}/accounts`),
      await operator.post(`/identifications/${person}/cases`, {
        owner: 'operator_operations',
        reason: 'aml_review',
      }),
      await api.post(`/kyb/${company.id}/form_link`),
      await operator.post(`/kyb/${company.id}/notes`, { text: 'Too late' }),
      await operator.post(`/identifications/${person}/notes`, { text: 'Too late' }),
    ]
    for (const answer of erased) {
      expect(answer.status).toBe(403)
      expectErrors(answer, 'identification_erased')
    }
    const decision = { outcome: 'attention', reason_code: 'other' }
    const decided = await operator.post(`/identifications/${person}/decision`, decision)
    expect(decided.status).toBe(422)
    expectErrors(decided, 'identification_erased')
    const edit = await api.patch(`/kyb/${company.id}`, { nature_of_business: { city_address: 'Paris' } })
    expect(edit.status).toBe(403)
    expectErrors(edit, 'kyb_processed')
  })
  test('its link, its session and its counters of wrong tries are gone, and it cannot be looked up', async () => {
    expect(await gatehouse.db.orm.select().from(pageSessions)).toEqual([])
    expect((await fetch(`${gatehouse.baseUrl}/verify/${hosted.token}`)).status).toBe(404)
    const rows = await gatehouse.db.orm.execute(
      sql`SELECT key FROM counters WHERE key LIKE ${`%${company.id}%`}`,
    )
    expect(rows).toEqual([])
    const name = plants.texts.get('nature.legal_company_name') ?? ''
    expect((await operator.get(`/identifications?name=${name}`)).body.data).toEqual([])
  })
  test('a message that still reaches its workflow changes nothing and harms nothing', async () => {
    const { db, temporal, gateway, vaultId } = gatehouse
    const handle = temporal.workflow.getHandle(`identification-${person}`)
    const caseId = unique()
    const reason = { owner: 'operator_operations', reason: 'aml_review' }
    await handle.signal('fact', { id: `by-hand-${caseId}`, kind: 'case_opened', caseId, ...reason })
    await handle.signal('resync')
    await eventually(async () => {
      const { body } = await operator.get(`/identifications/${person}/timeline`)
      expect(body.data.at(-1).action).toBe('case_opened_without_effect')
    })
    const target = { entity: 'identification', id: person, vaultId } as const
    const state = await readIdentificationSnapshot(db, vaultId, person)
    const appeal = gateway.run({
      target,
      command: { kind: 'call_attention', reasonCode: 'other' },
      state: state as NonNullable<typeof state>,
      actor: 'operator:x',
      id: unique(),
      since: performance.now(),
    })
    await expect(appeal).rejects.toThrow(RequestRefused)
    await expect(appeal).rejects.toThrow('identification_erased')
    expect((await handle.describe()).status.name).toBe('RUNNING')
    expect(await statusOf(api, person)).toBe('rejected')
  })
})

describe('what a page says was removed is in no place', () => {
  const said = createPlants()

  test('after a person withdraws the consent, but for the name and the email address', async () => {
    const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc' })
    const id: string = body.data.identification_id
    const applicant = await plantApplicant(said, gatehouse.baseUrl, body.data.url, 'withdrawn')
    const decide = (outcome: string, more: object) =>
      operator.post(`/identifications/${id}/decision`, { outcome, ...more })
    await untilWaitingOn(gatehouse, id, 'operator')
    expect((await decide('attention', { reason_code: 'other' })).status).toBe(200)
    const words = {
      client_comment: said.text('withdrawn comment'),
      internal_note: said.text('withdrawn note'),
      findings: [{ path: 'city', code: 'mismatch', comment: said.text('withdrawn finding') }],
    }
    expect((await decide('initiated', { reason_code: 'other', ...words })).status).toBe(200)
    expect(await applicant.post('/details', { city: said.text('withdrawn later') })).toHaveProperty(
      'status',
      303,
    )
    const unsaid = ['withdrawn.cookie']
    expect(foundIn(said, await everything())).toEqual(
      [...said.texts.keys()].filter((where) => !unsaid.includes(where) && where !== 'withdrawn.city'),
    )
    const declined = await applicant.post('/consent', { consent: 'no' })
    expect(await declined.text()).toContain('were removed, except for your name and email address')
    const known = ['withdrawn.name', 'withdrawn.surname', 'withdrawn.email']
    expect(foundIn(said, await everything())).toEqual(known)

    await conclude(gatehouse, id, 6)
    const { code, output } = await runErase(gatehouse, '--due', '--yes')
    expect([code, output]).toEqual([0, expect.stringContaining(`Erased ${id}.`)])
    expect(foundIn(said, await everything())).toEqual([])
  })

  test('after a beneficiary is removed', async () => {
    const owner = planted(said, 'removed', BENEFICIARY_FIELDS)
    const id = await api.createKyb(unique(), { beneficiaries: { beneficiaries_list: [owner] } })
    const pdf = new Blob([`%PDF-1.4\n${said.text('removed file')}\n%%EOF\n`])
    const place = { attribute: 'beneficiary_identification', email: String(owner.email) }
    const name = `${said.text('removed file name')}.pdf`
    expect((await api.upload(id, place, pdf, name)).status).toBe(201)
    const [{ external_id }] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
    const path = `beneficiaries.beneficiaries_list.${external_id}.full_name`
    const findings = [{ path, code: 'mismatch', comment: said.text('removed finding') }]
    const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(foundIn(said, await everything())).toEqual(
      [...said.texts.keys()].filter((where) => /^removed/.test(where)),
    )
    const gone = [{ email: owner.email, _destroy: true }]
    expect((await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: gone } })).status).toBe(200)
    await eventually(async () => expect(foundIn(said, await everything())).toEqual([]))
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data.at(-1).fields).toContain(`beneficiaries.beneficiaries_list.${external_id}`)
  })
})

test('commands keep what was asked until they are applied, and their rows until they cannot be repeated', async () => {
  const id = await api.createKyb()
  expect((await api.patch(`/kyb/${id}`, { usage_of_account: { usage: 'Savings' } })).status).toBe(200)
  const rows = () => gatehouse.db.orm.select().from(commands).where(eq(commands.entityId, id))
  expect(await rows()).toMatchObject([{ kind: 'patch', payload: null, appliedAt: expect.any(Date) }])
  await reconcile(gatehouse)
  expect(await rows()).toHaveLength(1)
  await gatehouse.db.orm.execute(sql`UPDATE commands SET applied_at = applied_at - interval '26 hours',
    id = ${lowestIdAt(new Date(Date.now() - 26 * 3_600_000))} WHERE entity_id = ${id}`)
  await reconcile(gatehouse)
  expect(await rows()).toEqual([])
})
