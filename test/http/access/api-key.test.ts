/** Tests API keys: creation, lists, use, expiry and revocation. */
import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { apiKeys } from '../../../drizzle/schema.ts'
import { insertApiKey } from '../../../src/db/access/api-key.ts'
import { createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { createKey } from '../../support/people.ts'

const gatehouse = await sharedInstance()
const operator = await gatehouse.operator()

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
/** Shorter than the lifetime of a cached caller. */

describe('POST /vaults/{id}/api_keys', () => {
  test('shows the key once, and stores only a hash', async () => {
    const expires_at = inSeconds(3_600)
    const { data, key, api } = await createKey(gatehouse, {
      roles: ['api_read'],
      name: 'Backend',
      expires_at,
    })
    expect(data).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^gk_test_[A-Za-z0-9]{46}$/),
      vault_id: gatehouse.vaultId,
      prefix: key.slice(0, 12),
      name: 'Backend',
      roles: ['api_read'],
      created_at: expect.any(Number),
      last_used_at: null,
      expires_at,
      revoked_at: null,
      awaits_confirmation: false,
    })
    expect((await api.get('/kyb')).status).toBe(200)
    const rows = await gatehouse.db.orm.execute('SELECT api_keys::text AS row FROM api_keys')
    expect(JSON.stringify(rows)).not.toContain(key.slice(13))
    const listed = await operator.get(`/vaults/${gatehouse.vaultId}/api_keys`)
    expect(JSON.stringify(listed.body)).not.toContain(key.slice(13))
  })

  test.each([
    [{}, 'required', 'roles'],
    [{ roles: [] }, 'invalid', 'roles'],
    [{ roles: ['api_read', 'api_read'] }, 'invalid', 'roles'],
    [{ roles: ['operator_admin'] }, 'invalid', 'roles.0'],
    [{ roles: ['api_read'], expires_at: 1_600_000_000 }, 'invalid', 'expires_at'],
    [{ roles: ['api_read'], expires_at: '2030-01-01' }, 'invalid', 'expires_at'],
    [{ roles: ['api_read'], name: '' }, 'required', 'name'],
    [{ roles: ['api_read'], key: 'x' }, 'unknown_field', 'key'],
  ])('returns 422 for %j', async (body, code, field) => {
    const answer = await operator.post(`/vaults/${gatehouse.vaultId}/api_keys`, body)
    expect(answer.status).toBe(422)
    expectErrors(answer, { code, field })
  })

  test('returns 404 for an unknown vault, also for its list', async () => {
    const path = `/vaults/${unique()}/api_keys`
    expect((await operator.post(path, { roles: ['api_read'] })).status).toBe(404)
    expect((await operator.get(path)).status).toBe(404)
  })
})

test('GET /vaults/{id}/api_keys lists the keys of the vault in pages, newest first', async () => {
  const { vaultId } = await addVault(gatehouse)
  const made = []
  for (let n = 0; n < 3; n++) made.push((await createKey(gatehouse, { roles: ['api_read'] }, vaultId)).id)
  const { body } = await operator.get(`/vaults/${vaultId}/api_keys?per_page=2`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made[2], made[1]])
  // The vault starts with two keys.
  expect(body.pagination).toEqual({ current_page: 1, per_page: 2, total_pages: 3, total_count: 5 })
})

describe('API keys', () => {
  test('are refused with 401 immediately and permanently after they are revoked', async () => {
    const { id, api } = await createKey(gatehouse, { roles: ['api_read'] })
    expect((await api.get('/kyb')).status).toBe(200)
    const revoked = await operator.delete(`/api_keys/${id}`)
    expect(revoked).toMatchObject({ status: 200, body: { data: { id, revoked_at: expect.any(Number) } } })
    expect((await api.get('/kyb')).status).toBe(401)
    expect((await operator.delete(`/api_keys/${id}`)).body).toEqual(revoked.body)
    expect((await operator.delete(`/api_keys/${unique()}`)).status).toBe(404)
  })

  test('are refused as soon as they expire, even if they were used shortly before', async () => {
    async function useShortly(seconds: number) {
      const { id, api } = await createKey(gatehouse, { roles: ['api_read'], expires_at: inSeconds(3_600) })
      const own = eq(apiKeys.id, id)
      const soon = sql`clock_timestamp() + ${seconds} * interval '1 second'`
      await gatehouse.db.orm.update(apiKeys).set({ expiresAt: soon }).where(own)
      return { own, api, status: (await api.get('/kyb')).status }
    }
    let used = await useShortly(1)
    // On a busy machine, the request may come after the key has expired.
    if (used.status === 401) used = await useShortly(30)
    expect(used.status).toBe(200)
    const expired = and(used.own, sql`expires_at < clock_timestamp() - interval '50 ms'`)
    await eventually(async () => expect(await gatehouse.db.orm.$count(apiKeys, expired)).toBe(1))
    expect((await used.api.get('/kyb')).status).toBe(401)
  })

  test('are accepted without a checksum', async () => {
    const key = `gk_test_${'Q'.repeat(40)}`
    await insertApiKey(gatehouse.db, { id: unique(), vaultId: gatehouse.vaultId, key, roles: ['api_read'] })
    expect((await createApi(`${gatehouse.baseUrl}/v1`, key).get('/kyb')).status).toBe(200)
  })

  test('store when they were last used, accurate to one minute', async () => {
    const { id, api } = await createKey(gatehouse, { roles: ['api_read'] })
    const usedAt = async () => {
      const [row] = await gatehouse.db.orm.select().from(apiKeys).where(eq(apiKeys.id, id))
      return row?.lastUsedAt?.getTime() ?? 0
    }
    await api.get('/kyb')
    expect(Math.abs((await usedAt()) - Date.now())).toBeLessThan(40_000)
    const past = sql`clock_timestamp() - interval '55 seconds'`
    await gatehouse.db.orm.update(apiKeys).set({ lastUsedAt: past }).where(eq(apiKeys.id, id))
    await eventually(async () => {
      await api.get('/kyb')
      expect(Math.abs((await usedAt()) - Date.now())).toBeLessThan(40_000)
    })
  })
})
