/** A value that does not open, or a file that cannot be removed: what is not about it goes on. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { files } from '../../drizzle/schema.ts'
import { listAudit } from '../../src/db/access/audit.ts'
import { readSigningKeys, rotateSigningKey } from '../../src/db/access/signing-key.ts'
import { readEmails } from '../../src/db/access/user.ts'
import { fileContext } from '../../src/db/cases/file.ts'
import { damaging } from '../support/database.ts'
import { softKyc } from '../support/identification.ts'
import { addVault, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { publish, readLogs, reconcile, settledLog } from '../support/webhook.ts'

const gatehouse = await startInstance()
const { api, db, vaultId } = gatehouse
const operator = await gatehouse.operator()
const receiver = await startReceiver()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const damage = (...which: Parameters<typeof damaging>) => db.orm.execute(damaging(...which))

test('a webhook secret that does not open keeps no other vault waiting, and is replaced by another one', async () => {
  const other = await addVault(gatehouse)
  for (const each of [api, other.api])
    await each.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
  await damage('webhook_settings', 'secret', sql`vault_id = ${other.vaultId}`)
  const theirs = await publish(operator, other.vaultId, 'ticket', 2)
  const ours = await publish(operator, vaultId, 'ticket', 5)
  // What housekeeping finds shares a batch, whosever it is.
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

test('a profile that does not open has no name in the queue, which shows all others', async () => {
  const [damaged, whole] = [await softKyc(api), await softKyc(api)]
  await db.orm.execute(
    sql`UPDATE identifications SET waiting_on = 'operator' WHERE id IN (${damaged}, ${whole})`,
  )
  await damage('identifications', 'profile', sql`id = ${damaged}`)
  const { status, body } = await operator.get('/queue')
  expect(status).toBe(200)
  const titles = new Map(body.data.map(({ id, title }: { id: string; title: string }) => [id, title]))
  expect(titles.get(damaged)).toBeNull()
  expect(titles.get(whole)).toEqual(expect.any(String))
})

test('an operator whose e-mail does not open, and an address, keep no page of others away', async () => {
  const id = await api.createKyb()
  expect((await operator.post(`/kyb/${id}/notes`, { text: 'Seen.' })).status).toBe(201)
  await damage('audit_log', 'ip_address', sql`ip_address IS NOT NULL`)
  const { entries } = await listAudit(db, { page: 1, per_page: 5 }, {})
  expect(entries.map(({ address }) => address)).toContain(null)
  const ids = entries
    .map(({ actor }) => actor.replace(/^.*:/, ''))
    .filter((each) => /^[\da-f-]{36}$/.test(each))
  await damage('users', 'email', sql`true`)
  expect(await readEmails(db, ids)).toEqual(new Map())
  await damage('users', 'email', sql`true`)
  expect((await readEmails(db, ids)).size).toBeGreaterThan(0)
})

test('a signing key that does not open keeps no token from being verified, nor a newer key from signing', async () => {
  await readSigningKeys(db, 30)
  await damage('signing_keys', 'private_jwk', sql`true`)
  expect(await readSigningKeys(db, 30)).toHaveLength(1)
  const [newest, damaged] = await rotateSigningKey(db)
  expect(newest?.privateJwk()).toMatchObject({ crv: 'Ed25519' })
  expect(() => damaged?.privateJwk()).toThrow()
})

test('files that cannot be removed, however many, keep those behind them waiting for a pass alone', async () => {
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
  // A folder is in the place of each but the last.
  for (const id of ids.slice(0, -1))
    mkdirSync(join(gatehouse.config.BLOB_DIR, id.slice(-2), id, 'x'), { recursive: true })
  const worker = await gatehouse.startWorker()
  expect(await reconcile(gatehouse)).toMatchObject({ sweepFiles: '500 of 500 failed' })
  expect(await reconcile(gatehouse)).toMatchObject({ sweepFiles: 1 })
  await worker.stop()
})
