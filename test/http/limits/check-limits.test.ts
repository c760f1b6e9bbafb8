/** Tests the limits on checks by the verification provider, including simultaneous checks. */
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { identifications, verificationChecks } from '../../../drizzle/schema.ts'
import { beginCheck } from '../../../src/db/cases/verification-check.ts'
import { openConsole } from '../../support/console.ts'
import { createSoftKyc, untilWaitingOn } from '../../support/identification.ts'
import { addVault, eventually, startInstance } from '../../support/instance.ts'
import { SECRET, startProvider } from '../../support/provider.ts'

const provider = await startProvider()
const gatehouse = await startInstance({
  env: {
    VERIFICATION_PROVIDER: 'http',
    VERIFICATION_PROVIDER_URL: provider.url,
    VERIFICATION_PROVIDER_SECRET: SECRET,
    RATE_LIMIT_VERIFICATION_CHECKS: '2',
    RATE_LIMIT_VAULT_CHECKS: '5',
  },
})
const { db, baseUrl } = gatehouse
const operator = await gatehouse.operator()
await gatehouse.startWorker()
await gatehouse.startWorker()
afterAll(async () => {
  await gatehouse.stop()
  await provider.stop()
})

const checksOf = async (id: string) => (await operator.get(`/identifications/${id}`)).body.data.checks
const age = (id: string) =>
  db.orm
    .update(verificationChecks)
    .set({ createdAt: sql`created_at - interval '25 hours'` })
    .where(eq(verificationChecks.identificationId, id))
async function vaultOf(id: string): Promise<string> {
  const [row] = await db.orm
    .select({ vaultId: identifications.vaultId })
    .from(identifications)
    .where(eq(identifications.id, id))
  return row?.vaultId ?? ''
}
const FREE = { perVerification: 100, perVault: 100 }

describe('the limit on checks', () => {
  test('of a vault is kept by several workers, and leaves the rest to operators', async () => {
    const { api } = gatehouse
    const ids = await Promise.all(Array.from({ length: 12 }, () => createSoftKyc(api)))
    await eventually(async () => {
      const all = (await Promise.all(ids.map(checksOf))).flat()
      expect(all).toHaveLength(12)
      expect(all.filter(({ failure }) => failure === 'limit_reached')).toHaveLength(7)
    })
    const stopped: string[] = []
    for (const id of ids) if ((await checksOf(id))[0].failure === 'limit_reached') stopped.push(id)
    for (const id of stopped) await untilWaitingOn(gatehouse, id, 'operator')
    const [first = ''] = stopped
    expect((await operator.get('/queue?kind=identification&per_page=100')).body.data).toContainEqual(
      expect.objectContaining({ id: first }),
    )
    const console = await openConsole(baseUrl, gatehouse.credentials)
    for (const [language, text] of [
      ['en', 'The limit on checks in 24 hours is reached'],
      ['de', 'Das Limit für Prüfungen in 24 Stunden ist erreicht'],
    ] as const) {
      const page = await console.get(`/console/identifications/${first}`, { 'Accept-Language': language })
      expect(await page.text()).toContain(text)
    }
    expect((await operator.get(`/identifications/${first}/timeline`)).body.data).toContainEqual(
      expect.objectContaining({ action: 'check_finished' }),
    )
    const decision = { outcome: 'approved', reason_code: 'complete' }
    expect((await operator.post(`/identifications/${first}/decision`, decision)).status).toBe(200)
    for (const id of ids) await age(id)
    const later = await createSoftKyc(api)
    await provider.untilAsked(later)
  })
  test('of a vault does not affect other vaults', async () => {
    const { api } = await addVault(gatehouse)
    await provider.untilAsked(await createSoftKyc(api))
  })
  test('of an identification counts its checks in 24 hours, but not prevented ones', async () => {
    const { api } = await addVault(gatehouse)
    const id = await createSoftKyc(api)
    await provider.untilAsked(id)
    const vaultId = await vaultOf(id)
    const wait = (day: number) => ({ id, vaultId, waitingSince: new Date(Date.UTC(2026, 0, day)) })
    const limits = { perVerification: 2, perVault: 100 }
    const begin = async (day: number) => (await beginCheck(db, wait(day), 'http', limits)).failure
    expect([await begin(1), await begin(2), await begin(3)]).toEqual([null, 'limit_reached', 'limit_reached'])
    // A check that began remains allowed, and a prevented one remains prevented.
    expect([await begin(1), await begin(2)]).toEqual([null, 'limit_reached'])
    await age(id)
    expect([await begin(4), await begin(5), await begin(6)]).toEqual([null, null, 'limit_reached'])
    expect((await beginCheck(db, wait(7), 'manual', limits)).failure).toBe(null)
  })
  test('is exact if checks begin simultaneously', async () => {
    const { api } = await addVault(gatehouse)
    const id = await createSoftKyc(api)
    await provider.untilAsked(id)
    const vaultId = await vaultOf(id)
    const begin = (minute: number, limits: typeof FREE) =>
      beginCheck(db, { id, vaultId, waitingSince: new Date(Date.UTC(2026, 1, 1, 0, minute)) }, 'http', limits)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, minute) => begin(minute, { ...FREE, perVerification: 8 })),
    )
    expect(all.filter(({ failure }) => failure === null)).toHaveLength(7)
    const same = await Promise.all(Array.from({ length: 10 }, () => begin(30, FREE)))
    expect(new Set(same.map((check) => check.id)).size).toBe(1)
  })
})
