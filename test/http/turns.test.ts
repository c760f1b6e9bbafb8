/** A flood of one vault's slow searches takes a share of the connections; everybody else goes on reading. */
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { addVault, sharedInstance } from '../support/instance.ts'

const FLOOD = 60
const SEARCH = '/webhook_logs?type=identification&status=completed&search=nothing'

const gatehouse = await sharedInstance()
const { api: other } = await addVault(gatehouse)

test('sixty searches that wait, by two keys of one vault, keep no other vault waiting', async () => {
  const { api, reader } = gatehouse
  const operator = await gatehouse.operator()
  const locking = postgres(gatehouse.env.DATABASE_URL, { max: 1 })
  await locking.begin(async (tx) => {
    await tx`LOCK TABLE webhook_logs`
    const flood = Promise.all(Array.from({ length: FLOOD }, (_, n) => (n % 2 ? api : reader).get(SEARCH)))
    for (let n = 0; n < 5; n++)
      for (const { status } of [await other.get('/kyb'), await operator.get('/queue')])
        expect(status).toBe(200)
    const answers = await flood
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers.every(({ headers }) => headers.get('Retry-After') === '1')).toBe(true)
  })
  await locking.end()
  expect((await api.get(SEARCH)).status).toBe(200)
})
