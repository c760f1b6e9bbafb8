/** Tests the limits on vaults' own users in the console, and changes of members at the same time. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '../../../drizzle/schema.ts'
import { findUser } from '../../../src/db/access/user.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { changeUserRoles } from '../../../src/use-cases/access/users.ts'
import { untilBlocked } from '../../support/connections.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const READS = 40
const SETTINGS = 4
const gatehouse = await startInstance({
  env: { RATE_LIMIT_READS: String(READS), RATE_LIMIT_WRITES: '20', RATE_LIMIT_SETTINGS: String(SETTINGS) },
})
const { baseUrl, vaultId, db } = gatehouse
const HOME = `/console/client/${vaultId}`
afterAll(() => gatehouse.stop())

async function seat(role: string, ...others: string[]) {
  const vaults = [vaultId, ...others].map((id) => ({ id, roles: [role] }))
  const { id, email } = await signedIn(gatehouse, 'client', { vaults })
  return { id, browser: await openConsole(baseUrl, { email, password: PASSWORD }) }
}
type Seat = Awaited<ReturnType<typeof seat>>
let admin: Seat
beforeAll(async () => {
  admin = await seat('client_admin')
})

const statuses = async (count: number, ask: () => Promise<Response>) => {
  const found: number[] = []
  for (let n = 0; n < count; n += 1) found.push((await ask()).status)
  return found
}

test('the pages of a vault’s own user have the limits of the API, and those of operators have none', async () => {
  const { browser } = await seat('client_viewer')
  // At the same time, so that all of them are within the minute of the limit on a busy machine.
  const read = await Promise.all(Array.from({ length: READS + 1 }, () => browser.get(`${HOME}/members`)))
  expect(new Set(read.map(({ status }) => status))).toEqual(new Set([200, 429]))
  const refused = await browser.get(HOME)
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
  expect((await admin.browser.get(HOME)).status).toBe(200)
  const operator = await openConsole(baseUrl, gatehouse.credentials)
  expect(new Set(await statuses(READS + 1, () => operator.get('/console/cases')))).toEqual(new Set([200]))
})

test('new members and keys count as changes of settings', async () => {
  const { browser } = await seat('client_admin')
  const add = () =>
    browser.post(`${HOME}/members`, { email: `${unique()}@client.example`, role: 'client_viewer' })
  expect(await statuses(SETTINGS + 1, add)).toEqual([...Array(SETTINGS).fill(200), 429])
  const key = await browser.post(`${HOME}/keys`, [
    ['name', 'x'],
    ['roles', 'api_read'],
  ])
  expect(key.status).toBe(429)
})

test('a change of a member keeps what another change removes at the same time', async () => {
  const own = await addVault(gatehouse)
  const other = await addVault(gatehouse)
  const of = (roles: readonly (readonly [string, string])[]) => ({
    vaults: roles.map(([id, role]) => ({ id, roles: [role] })),
  })
  const boss = await signedIn(gatehouse, 'client', of([[own.vaultId, 'client_admin']]))
  const browser = await openConsole(baseUrl, { email: boss.email, password: PASSWORD })
  const member = await signedIn(
    gatehouse,
    'client',
    of([
      [own.vaultId, 'client_viewer'],
      [other.vaultId, 'client_admin'],
    ]),
  )
  const by = { actor: 'operator:someone', address: null }
  const change = await transaction(db, async (tx) => {
    await tx.orm.select().from(users).where(eq(users.id, member.id)).for('update')
    const changing = browser.post(`/console/client/${own.vaultId}/members/${member.id}`, {
      role: 'client_admin',
    })
    await untilBlocked(db)
    await changeUserRoles({ db: tx }, by, member.id, of([[own.vaultId, 'client_viewer']]) as never)
    return { changing }
  })
  expect((await change.changing).status).toBe(303)
  const found = await findUser(db, member.id)
  expect(found?.vaults.map(({ id, roles }) => [id, roles])).toEqual([[own.vaultId, ['client_admin']]])
})
