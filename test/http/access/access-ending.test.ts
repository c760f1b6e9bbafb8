/** Tests requests of callers whose access ends while the body arrives. */
import { and, eq, ne } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { files } from '../../../drizzle/schema.ts'
import { PDF } from '../../support/api.ts'
import { eventually, sharedInstance } from '../../support/instance.ts'
import { createKey, signedIn } from '../../support/people.ts'
import { END_OF_FORM, formPart, MULTIPART, sendSlowly } from '../../support/slow-body.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, db, vaultId } = gatehouse
const operator = await gatehouse.operator()
const JSON_TYPE = { 'Content-Type': 'application/json' }
const BOTH = ['api_read', 'api_write']

const asKey = async () => {
  const { id, key } = await createKey(gatehouse, { roles: BOTH })
  return { token: key, end: () => operator.delete(`/api_keys/${id}`) }
}
const asUser = (left: object[]) => async () => {
  const { id, token } = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: BOTH }] })
  return { token, end: () => operator.patch(`/users/${id}`, { vaults: left }) }
}

const filesOf = (id: string) =>
  db.orm
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.kybApplicationId, id), ne(files.state, 'detached')))

describe.each([
  ['the key is revoked', asKey],
  ['the user loses the role', asUser([{ id: vaultId, roles: ['api_read'] }])],
  ['the user loses the vault', asUser([])],
])('if %s', (_, start) => {
  test('an upload in progress is refused and discarded', async () => {
    const { token, end } = await start()
    const id = await api.createKyb()
    const head = `${formPart('attribute', 'legal_structures')}\r\n${formPart('file', '', 'a.pdf')}`
    const pdf = Buffer.from(await PDF.arrayBuffer())
    const answer = await sendSlowly(`${baseUrl}/v1/kyb/upload_file/${id}`, {
      headers: { Authorization: token, ...MULTIPART },
      parts: [
        Buffer.concat([Buffer.from(head), pdf.subarray(0, 20)]),
        Buffer.concat([pdf.subarray(20), Buffer.from(END_OF_FORM)]),
      ],
      async between() {
        await eventually(async () => expect(await filesOf(id)).toHaveLength(1))
        expect((await end()).status).toBe(200)
      },
    })
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer'])
    expect(await filesOf(id)).toEqual([])
    expect((await api.get(`/kyb/${id}`)).body.data.business_files.legal_structures).toEqual([])
  })

  test('a change in progress is refused', async () => {
    const { token, end } = await start()
    const id = await api.createKyb()
    const answer = await sendSlowly(`${baseUrl}/v1/kyb/${id}`, {
      method: 'PATCH',
      headers: { Authorization: token, ...JSON_TYPE },
      parts: ['{"nature_of_business":', '{"legal_company_name":"Late Ltd"}}'],
      async between() {
        // These requests began later, so the caller of the first one is known when they end.
        for (let n = 0; n < 2; n++) await fetch(`${baseUrl}/v1/kyb`, { headers: { Authorization: token } })
        expect((await end()).status).toBe(200)
      },
    })
    expect(answer.status).toBe(401)
    expect((await api.get(`/kyb/${id}`)).body.data.nature_of_business.legal_company_name).toBeNull()
  })
})
