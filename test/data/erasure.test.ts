/** Tests that an erasure removes all personal data of an identification from every place. */
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { commands, nameParts, pageSessions, webhookLogs } from '../../drizzle/schema.ts'
import { startPageSession } from '../../src/db/access/page-session.ts'
import { readIdentificationSnapshot } from '../../src/db/cases/snapshot.ts'
import { lowestIdAt } from '../../src/db/connection/id-time.ts'
import { RequestRefused } from '../../src/domain/base/errors.ts'
import { BENEFICIARY_FIELDS } from '../../src/domain/kyb/fields/beneficiaries.ts'
import { NO_SPAN } from '../../src/process/span.ts'
import { blobFolderOf, blobsIn, expectErrors } from '../support/checks.ts'
import { dumpBlobs, dumpSealed, dumpTables, dumpTemporal } from '../support/dump.ts'
import { conclude, runErase } from '../support/erasure.ts'
import { isChange, statusOf, untilWaitingOn } from '../support/identification.ts'
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
/** Data of a person who is not erased. */
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
const hosted = await plantHosted(plants, gatehouse)
const undelivered = () => gatehouse.db.orm.$count(webhookLogs, sql`status IN ('pending', 'processing')`)
await eventually(async () => expect(await undelivered()).toBe(0))
await api.put('/users/update_webhook', { webhook_url: { identification: [], account: [] } })
await plantPerson(others, api, operator)
await addFreeAttribute()
for (const id of [company.identificationId, person, listed, hosted.id]) await conclude(gatehouse, id, 6)
await startPageSession(gatehouse.db, 'of a browser', company.identificationId)
afterAll(async () => {
  await receiver.stop()
  await gatehouse.stop()
  list.remove()
})

/** Adds an attribute, as in an event that the platform published. */
async function addFreeAttribute(): Promise<void> {
  const attribute = JSON.stringify({ sender: plants.text('free attribute') })
  await gatehouse.db.orm.execute(sql`UPDATE webhook_logs
    SET payload = jsonb_set(payload::jsonb, '{data,attributes}', payload::jsonb #> '{data,attributes}' || ${attribute}::jsonb)::text
    WHERE payload LIKE ${`%${company.identificationId}%`}`)
  // IDs are matched regardless of letter case.
  const text = `${plants.text('attribute beside an id in capitals')} ${company.identificationId.toUpperCase()}`
  await insertLogs(gatehouse, gatehouse.vaultId, { text })
}

/** Returns all stored data, with encrypted values decrypted. */
async function everything(): Promise<string> {
  const { db, config, temporal } = gatehouse
  const parts = [await dumpTables(db), await dumpSealed(db), dumpBlobs(config, db)]
  return [...parts, await dumpTemporal(temporal)].join('\n')
}

test('finds the planted data before the erasure, to validate the search', async () => {
  const unstored = ['check.cookie', 'applicant.cookie']
  const expected = [...plants.texts.keys()].filter((where) => !unstored.includes(where))
  expect(foundIn(plants, await everything())).toEqual(expected)
})

test('removes all data of due identifications, and keeps the data of others', async () => {
  const { code, output } = await runErase(gatehouse, '--due', '--yes')
  expect(code, output).toBe(0)
  for (const id of [company.identificationId, person, listed, hosted.id])
    expect(output).toContain(`Erased ${id}.`)
  const left = await everything()
  expect(foundIn(plants, left)).toEqual([])
  expect(foundIn(others, left)).toContain('decision note')
  expect(blobsIn(blobFolderOf(gatehouse.config))).toEqual([])
})

describe('the remaining data', () => {
  test('contains the identification without a name, with its IDs, status, reason and time of erasure', async () => {
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
  test('contains the empty application with its outcome', async () => {
    const { body } = await api.get(`/kyb/${company.id}`)
    expect(body.data).toMatchObject({ id: company.id, status: { processed: true } })
    expect(body.data.nature_of_business).not.toHaveProperty('legal_company_name', expect.any(String))
    expect(body.data.beneficiaries.beneficiaries_list).toEqual([])
    expect(body.data.review).toMatchObject({ outcome: 'approved', client_comment: null })
  })
  test('contains no hashes of countries or of facts about risks', async () => {
    const rows = await gatehouse.db.orm.execute(sql`
      SELECT country_hash, risk_hashes FROM identifications WHERE id IN (${person}, ${company.identificationId})
      UNION ALL SELECT country_hash, risk_hashes FROM kyb_applications WHERE id = ${company.id}`)
    expect([...rows]).toEqual(Array(3).fill({ country_hash: null, risk_hashes: [] }))
  })
  test('contains the actions with their actors and times, including the erasure', async () => {
    const { body } = await operator.get(`/identifications/${company.identificationId}/timeline`)
    const actions = body.data.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(expect.arrayContaining(['created', 'kyb_processed', 'block', 'close', 'erased']))
    for (const entry of body.data) expect(entry.internal_note).toBe(null)
    const kyb = await operator.get(`/kyb/${company.id}/timeline`)
    expect(kyb.body.data.filter(isChange).at(-1)).toMatchObject({
      action: 'erased',
      from: 'processed',
      to: 'processed',
    })
  })
  test('contains the events with their IDs and states', async () => {
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
    const logs = await api.get(`/webhook_logs?type=identification&status=all&search=kyb_processed`)
    const processed = logs.body.data.map(({ payload }: { payload: object }) => payload)
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

describe('an erased identification', () => {
  test('refuses every change with a code that names the reason', async () => {
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
  test('has no link, session or counters of failed attempts, and cannot be looked up', async () => {
    expect(await gatehouse.db.orm.select().from(pageSessions)).toEqual([])
    expect((await fetch(`${gatehouse.baseUrl}/verify/${hosted.token}`)).status).toBe(404)
    const rows = await gatehouse.db.orm.execute(
      sql`SELECT key FROM counters WHERE key LIKE ${`%${company.id}%`}`,
    )
    expect(rows).toEqual([])
    // Only the person who is not erased is left.
    const { entityId } = nameParts
    const named = await gatehouse.db.orm.select({ entityId }).from(nameParts).groupBy(entityId)
    expect(named).toHaveLength(1)
    const name = plants.texts.get('nature.legal_company_name') ?? ''
    expect((await operator.get(`/identifications?name=${name}`)).body.data).toEqual([])
  })
  test('ignores a late message to its workflow', async () => {
    const { db, temporal, gateway, vaultId } = gatehouse
    const handle = temporal.workflow.getHandle(`identification-${person}`)
    const caseId = unique()
    const reason = { owner: 'operator_operations', reason: 'aml_review' }
    await handle.signal('fact', { id: `by-hand-${caseId}`, kind: 'case_opened', caseId, ...reason })
    await handle.signal('resync')
    await eventually(async () => {
      const { body } = await operator.get(`/identifications/${person}/timeline`)
      expect(body.data.filter(isChange).at(-1).action).toBe('case_opened_without_effect')
    })
    const target = { entity: 'identification', id: person, vaultId } as const
    const state = await readIdentificationSnapshot(db, vaultId, person)
    const appeal = gateway.run({
      target,
      command: { kind: 'call_attention', reasonCode: 'other' },
      state: state as NonNullable<typeof state>,
      actor: 'operator:x',
      id: unique(),
      span: NO_SPAN,
      since: performance.now(),
    })
    await expect(appeal).rejects.toThrow(RequestRefused)
    await expect(appeal).rejects.toThrow('identification_erased')
    expect((await handle.describe()).status.name).toBe('RUNNING')
    expect(await statusOf(api, person)).toBe('rejected')
  })
})

describe('data that a page reports as removed', () => {
  const removed = createPlants()

  test('is removed after a withdrawn consent, except for the name and the email address', async () => {
    const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc' })
    const id: string = body.data.identification_id
    const applicant = await plantApplicant(removed, gatehouse.baseUrl, body.data.url, 'withdrawn')
    const decide = (outcome: string, more: object) =>
      operator.post(`/identifications/${id}/decision`, { outcome, ...more })
    await untilWaitingOn(gatehouse, id, 'operator')
    expect((await decide('attention', { reason_code: 'other' })).status).toBe(200)
    const words = {
      client_comment: removed.text('withdrawn comment'),
      internal_note: removed.text('withdrawn note'),
      findings: [{ path: 'city', code: 'mismatch', comment: removed.text('withdrawn finding') }],
    }
    expect((await decide('initiated', { reason_code: 'other', ...words })).status).toBe(200)
    expect(await applicant.post('/details', { city: removed.text('withdrawn later') })).toHaveProperty(
      'status',
      303,
    )
    const unstored = ['withdrawn.cookie']
    expect(foundIn(removed, await everything())).toEqual(
      [...removed.texts.keys()].filter((where) => !unstored.includes(where) && where !== 'withdrawn.city'),
    )
    const declined = await applicant.post('/consent', { consent: 'no' })
    expect(await declined.text()).toContain('Only your name and email address remain')
    const known = ['withdrawn.name', 'withdrawn.surname', 'withdrawn.email', 'withdrawn note']
    expect(foundIn(removed, await everything())).toEqual(known)

    await conclude(gatehouse, id, 6)
    const { code, output } = await runErase(gatehouse, '--due', '--yes')
    expect([code, output]).toEqual([0, expect.stringContaining(`Erased ${id}.`)])
    expect(foundIn(removed, await everything())).toEqual([])
  })

  test('is removed with a beneficiary', async () => {
    const owner = planted(removed, 'removed', BENEFICIARY_FIELDS)
    const id = await api.createKyb(unique(), { beneficiaries: { beneficiaries_list: [owner] } })
    const pdf = new Blob([`%PDF-1.4\n${removed.text('removed file')}\n%%EOF\n`])
    const place = { attribute: 'beneficiary_identification', email: String(owner.email) }
    const name = `${removed.text('removed file name')}.pdf`
    expect((await api.upload(id, place, pdf, name)).status).toBe(201)
    const [{ external_id }] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
    const path = `beneficiaries.beneficiaries_list.${external_id}.full_name`
    const findings = [{ path, code: 'mismatch', comment: removed.text('removed finding') }]
    const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(foundIn(removed, await everything())).toEqual(
      [...removed.texts.keys()].filter((where) => /^removed/.test(where)),
    )
    const gone = [{ email: owner.email, _destroy: true }]
    expect((await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: gone } })).status).toBe(200)
    await eventually(async () => expect(foundIn(removed, await everything())).toEqual([]))
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data.filter(isChange).at(-1).fields).toContain(
      `beneficiaries.beneficiaries_list.${external_id}`,
    )
  })
})

test('keeps the payload of a command until it is applied, and its row until it cannot be repeated', async () => {
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
