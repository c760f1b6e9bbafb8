/** Tests the cached options of webhook URLs. */
import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/connection/database.ts'
import { createUrlOptions } from '../../src/webhooks/url-options.ts'
import { addVault, sharedInstance } from '../support/instance.ts'

const gatehouse = await sharedInstance()
const { db } = gatehouse
const URL = 'https://receiver.example/hook'

/** Creates a vault with a URL, a reader of its options, and a spy on the queries of the reader. */
async function create() {
  const { vaultId, api } = await addVault(gatehouse)
  await api.put('/users/update_webhook', { webhook_url: { ticket: [URL] } })
  const { body } = await api.get('/webhook_urls')
  const select = vi.fn(db.orm.select.bind(db.orm))
  const orm = new Proxy(db.orm, {
    get: (target, name) => (name === 'select' ? select : Reflect.get(target, name)),
  })
  const optionsOf = createUrlOptions({ ...db, orm } as Database)
  return {
    select,
    name: (headers: object) => api.patch(`/webhook_urls/${body.data[0].id}`, { headers }),
    setVersion: (version: number) =>
      db.orm.execute(
        sql`UPDATE webhook_settings SET options_version = ${version} WHERE vault_id = ${vaultId}`,
      ),
    headersAt: async (version: number) => (await optionsOf(vaultId, version)).get(URL)?.headers,
  }
}

test('are read once for each version', async () => {
  const { select, name, headersAt } = await create()
  expect(await headersAt(0)).toBeUndefined()
  await name({ 'X-One': '1' })
  for (let n = 0; n < 3; n += 1) expect(await headersAt(1)).toEqual({ 'X-One': '1' })
  expect(select).toHaveBeenCalledTimes(1)
  await name({ 'X-Two': '2' })
  expect(await headersAt(2)).toEqual({ 'X-One': '1', 'X-Two': '2' })
  expect(select).toHaveBeenCalledTimes(2)
})

test('are the current ones after the database was restored to an earlier version, and are read only twice', async () => {
  const { select, name, setVersion, headersAt } = await create()
  await name({ 'X-One': '1' })
  await setVersion(12)
  expect(await headersAt(12)).toEqual({ 'X-One': '1' })
  select.mockClear()
  await name({ 'X-Two': '2' })
  await setVersion(10)
  // A delivery that was claimed before the restore has a version that the database does not reach.
  expect(await headersAt(13)).toEqual({ 'X-One': '1', 'X-Two': '2' })
  expect(select).toHaveBeenCalledTimes(2)
  expect(await headersAt(10)).toEqual({ 'X-One': '1', 'X-Two': '2' })
})

test('are not those that the database had in a later version, if it was restored', async () => {
  const { name, setVersion, headersAt } = await create()
  await name({ 'X-One': '1' })
  await setVersion(12)
  await headersAt(12)
  await name({ 'X-One': null })
  await setVersion(10)
  expect(await headersAt(10)).toEqual({})
})
