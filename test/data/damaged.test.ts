/** Tests that values that cannot be decrypted and files that cannot be deleted do not affect other data. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { readSigningKeys, rotateSigningKey } from '../../src/db/access/signing-key.ts'
import { readEmails } from '../../src/db/access/user.ts'
import { listAudit } from '../../src/db/audit/audit.ts'
import { fileContext } from '../../src/db/files/file.ts'
import { fillFilterColumns } from '../../src/db/lists/filter-columns.ts'
import { blobFolderOf } from '../support/checks.ts'
import { damaging } from '../support/database.ts'
import { createSoftKyc } from '../support/identification.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
import { createPerson } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { publish, readLogs, reconcile, settledLog, stopScheduledPasses } from '../support/webhook.ts'

const gatehouse = await startInstance()
const { api, db, vaultId } = gatehouse
const operator = await gatehouse.operator()
const receiver = await startReceiver()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const damage = (...which: Parameters<typeof damaging>) => db.orm.execute(damaging(...which))

test('delivers for other vaults if one webhook secret cannot be decrypted, and recovers after a rotation', async () => {
  const other = await addVault(gatehouse)
  for (const each of [api, other.api])
    await each.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
  await damage('webhook_settings', 'secret', sql`vault_id = ${other.vaultId}`)
  const theirs = await publish(operator, other.vaultId, 'ticket', 2)
  const ours = await publish(operator, vaultId, 'ticket', 5)
  // Logs found by housekeeping share a batch across vaults.
  const [left = ''] = await publish(operator, vaultId, 'ticket', 1)
  const batchId = newId({ msecs: Date.now() - 60_000 })
  await db.orm.execute(sql`UPDATE webhook_logs SET batch_id = ${batchId} WHERE id IN (${left}, ${theirs[0]})`)
  const worker = await gatehouse.startWorker()
  await reconcile(gatehouse)
  for (const id of [...ours, left]) expect((await settledLog(gatehouse, id)).status).toBe('completed')
  expect((await readLogs(gatehouse, theirs)).map(({ retries }) => retries)).toEqual([0, 0])

  expect((await other.api.post('/users/rotate_webhook_secret', {})).status).toBe(200)
  for (const id of theirs) expect((await settledLog(gatehouse, id)).status).toBe('completed')
  await worker.stop()
})

test('lists a damaged profile without a name in the queue, and all others as usual', async () => {
  const [damaged, whole] = [await createSoftKyc(api), await createSoftKyc(api)]
  await db.orm.execute(
    sql`UPDATE identifications SET waiting_on = 'operator' WHERE id IN (${damaged}, ${whole})`,
  )
  await damage('identifications', 'profile', sql`id = ${damaged}`)
  const { status, body } = await operator.get('/queue')
  expect(status).toBe(200)
  const titles = new Map(body.data.map(({ id, title }: { id: string; title: string }) => [id, title]))
  expect(titles.get(damaged)).toBeNull()
  expect(titles.get(whole)).toEqual(expect.any(String))

  // The risk of damaged data is unknown, not low.
  await db.orm.execute(sql`UPDATE identifications SET risk_hashes = NULL WHERE id IN (${damaged}, ${whole})`)
  expect(await fillFilterColumns(db)).toBe(2)
  const low = await operator.get('/queue?risk=low')
  const found = low.body.data.map(({ id }: { id: string }) => id)
  expect(found).toContain(whole)
  expect(found).not.toContain(damaged)
})

test('lists the audit trail and reads other emails if some IP addresses or emails cannot be decrypted', async () => {
  const id = await api.createKyb()
  expect((await operator.post(`/kyb/${id}/notes`, { text: 'Seen.' })).status).toBe(201)
  await damage('audit_log', 'ip_address', sql`ip_address IS NOT NULL`)
  const { entries } = await listAudit(db, { page: 1, per_page: 5 }, { scope: 'all' })
  expect(entries.map(({ address }) => address)).toContain(null)
  const ids = entries
    .map(({ actor }) => actor.replace(/^.*:/, ''))
    .filter((each) => /^[\da-f-]{36}$/.test(each))
  await damage('users', 'email', sql`true`)
  expect(await readEmails(db, ids)).toEqual(new Map())
  await damage('users', 'email', sql`true`)
  expect((await readEmails(db, ids)).size).toBeGreaterThan(0)
})

test('verifies tokens and signs with a newer key if a signing key cannot be decrypted', async () => {
  await readSigningKeys(db, 30)
  await damage('signing_keys', 'private_jwk', sql`true`)
  expect(await readSigningKeys(db, 30)).toHaveLength(1)
  const [newest, damaged] = await rotateSigningKey(db)
  expect(newest?.privateJwk()).toMatchObject({ crv: 'Ed25519' })
  expect(() => damaged?.privateJwk()).toThrow()
  // Repairs the key, because the instance may read its keys again and sign with this one.
  await damage('signing_keys', 'private_jwk', sql`id = ${damaged?.id}`)
})

test('reads a company’s name from its own column, or from the content if an earlier version wrote the row', async () => {
  const { api: own } = await addVault(gatehouse)
  const companies = ['Content damaged', 'Name missing', 'Name damaged', 'Both whole']
  const ids: string[] = []
  for (const legal_company_name of companies)
    ids.push(await own.createKyb(unique(), { nature_of_business: { legal_company_name } }))
  const [content, missing, name] = ids
  await damage('kyb_applications', 'content', sql`id = ${content}`)
  await db.orm.execute(sql`UPDATE kyb_applications SET company_name = NULL WHERE id = ${missing}`)
  await damage('kyb_applications', 'company_name', sql`id = ${name}`)
  const { body } = await own.get('/identifications')
  expect(body.data.map((each: { name: string }) => each.name).reverse()).toEqual([
    'Content damaged',
    'Name missing',
    '',
    'Both whole',
  ])

  const worker = await gatehouse.startWorker()
  await own.patch(`/kyb/${missing}`, { nature_of_business: { legal_company_name: 'Name added' } })
  await worker.stop()
  await damage('kyb_applications', 'content', sql`id = ${missing}`)
  const later = await own.get('/identifications')
  expect(later.body.data[2]).toMatchObject({ name: 'Name added' })
})

test('removes a file in the second housekeeping pass although 500 others cannot be removed', async () => {
  const kybApplicationId = await api.createKyb()
  const ids = Array.from({ length: 501 }, () => newId())
  await db.orm.insert(files).values(
    ids.map((id) => ({
      id,
      kybApplicationId,
      name: db.encryption.seal('a.pdf', fileContext(id)),
      state: 'detached' as const,
    })),
  )
  // A folder blocks the removal of every file except the last.
  for (const id of ids.slice(0, -1))
    mkdirSync(join(blobFolderOf(gatehouse.config), id.slice(-2), id, 'x'), { recursive: true })
  await stopScheduledPasses(gatehouse)
  const worker = await gatehouse.startWorker()
  expect(await reconcile(gatehouse)).toMatchObject({ sweepFiles: '500 of 500 failed' })
  expect(await reconcile(gatehouse)).toMatchObject({ sweepFiles: 1 })
  await worker.stop()
})

test('lists identifications, applications and users although some of their values are damaged', async () => {
  const { api: own, vaultId: ownId } = await addVault(gatehouse)
  const [damaged, whole] = [await createSoftKyc(own), await createSoftKyc(own)]
  const sections = { nature_of_business: { legal_company_name: 'Engines' } }
  const people = { beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Ada' }] } }
  const [damagedKyb, wholeKyb] = [
    await own.createKyb(unique(), { ...sections, ...people }),
    await own.createKyb(unique(), sections),
  ]
  const fileId = newId()
  const name = db.encryption.seal('a.pdf', fileContext(fileId))
  await db.orm.insert(files).values({ id: fileId, kybApplicationId: damagedKyb, name, state: 'attached' })
  await damage('identifications', 'profile', sql`id = ${damaged}`)
  await damage('kyb_applications', 'content', sql`id = ${damagedKyb}`)
  for (const column of ['person', 'token'] as const)
    await damage('beneficiaries', column, sql`kyb_application_id = ${damagedKyb}`)
  await damage('files', 'name', sql`kyb_application_id = ${damagedKyb}`)
  const identifications = await own.get('/identifications')
  expect(identifications.status).toBe(200)
  const names = new Map(
    identifications.body.data.map((each: { id: string; name: string }) => [each.id, each.name]),
  )
  expect([names.get(damaged), names.get(whole)]).toEqual(['', 'Ada'])
  const applications = await own.get('/kyb')
  expect(applications.status).toBe(200)
  const shown = applications.body.data.map((each: { id: string }) => each.id)
  expect(shown).toEqual([wholeKyb, damagedKyb])
  expect(applications.body.data[0].nature_of_business.legal_company_name).toBe('Engines')
  expect((await own.get(`/kyb/${damagedKyb}`)).status).toBe(500)

  const { id } = await createPerson(gatehouse, { vaults: [{ id: ownId, roles: ['api_read'] }] })
  await damage('users', 'email', sql`id = ${id}`)
  const users = await operator.get('/users?per_page=100')
  expect(users.status).toBe(200)
  expect(users.body.data.find((each: { id: string }) => each.id === id)).toMatchObject({ email: '' })
})
