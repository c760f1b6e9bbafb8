/** `POST /kyb/validate_password/{id}`. */
import { describe, expect, test } from 'vitest'
import { expectErrors } from '../support/checks.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'

const gatehouse = await sharedInstance()
const { api } = gatehouse

async function create() {
  const { body } = await api.post('/kyb', { external_id: unique() })
  const id: string = body.data.id
  const password: string = body.generated_password
  return {
    id,
    password,
    tell: (text: unknown) => api.post(`/kyb/validate_password/${id}`, { password: text }),
  }
}

describe('POST /kyb/validate_password/{id}', () => {
  test('the generated password authenticates, another one does not', async () => {
    const { password, tell } = await create()
    expect(await tell(password)).toMatchObject({ status: 200, body: { authenticate: true } })
    expect(await tell(`${password}x`)).toMatchObject({ status: 200, body: { authenticate: false } })
    expect((await tell(password.toLowerCase())).body).toEqual({ authenticate: false })
    expect((await tell('')).body).toEqual({ authenticate: false })
  })

  test('the password of another application does not', async () => {
    const [one, other] = [await create(), await create()]
    expect((await one.tell(other.password)).body).toEqual({ authenticate: false })
  })

  test('after five wrong tries even the right one is 429, with Retry-After within the minute', async () => {
    const { password, tell } = await create()
    for (let n = 0; n < 5; n++) expect((await tell('wrong')).status).toBe(200)
    const answer = await tell(password)
    expect(answer.status).toBe(429)
    expectErrors(answer, 'too_many_attempts')
    const seconds = Number(answer.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test('the right password does not count, however often it is given', async () => {
    const { password, tell } = await create()
    for (let n = 0; n < 8; n++) expect((await tell(password)).body).toEqual({ authenticate: true })
    for (let n = 0; n < 5; n++) expect((await tell('wrong')).status).toBe(200)
    expect((await tell('wrong')).status).toBe(429)
  })

  test('wrong tries at the same time do not outrun the limit', async () => {
    const { tell } = await create()
    const answers = await Promise.all(Array.from({ length: 12 }, () => tell('wrong')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  test('an id in another case is no way around the limit', async () => {
    const { id, password, tell } = await create()
    for (let n = 0; n < 5; n++) await tell('wrong')
    const answer = await api.post(`/kyb/validate_password/${id.toUpperCase()}`, { password })
    expect(answer.status).toBe(429)
  })

  test('tries at one application do not count for another', async () => {
    const [one, other] = [await create(), await create()]
    for (let n = 0; n < 6; n++) await one.tell('wrong')
    expect((await other.tell(other.password)).body).toEqual({ authenticate: true })
  })

  test('one of another vault, or none at all, does not authenticate', async () => {
    const { id, password } = await create()
    const { api: stranger } = await addVault(gatehouse)
    for (const where of [id, unique()]) {
      const { status, body } = await stranger.post(`/kyb/validate_password/${where}`, { password })
      expect({ status, body }).toEqual({ status: 200, body: { authenticate: false } })
    }
  })

  test('it changes nothing, so a key that may only read is enough', async () => {
    const { id, password } = await create()
    const { body } = await gatehouse.reader.post(`/kyb/validate_password/${id}`, { password })
    expect(body).toEqual({ authenticate: true })
  })

  test.each([
    [{}, 'required'],
    [{ password: null }, 'invalid'],
    [{ password: 5 }, 'invalid'],
    [{ password: 'x'.repeat(201) }, 'too_long'],
  ])('%j is 422 and does not count as a try', async (body, code) => {
    const { id, password, tell } = await create()
    for (let n = 0; n < 6; n++) {
      const answer = await api.post(`/kyb/validate_password/${id}`, body)
      expect(answer.status).toBe(422)
      expectErrors(answer, { code, field: 'password' })
    }
    expect((await tell(password)).body).toEqual({ authenticate: true })
  })

  test('an id that is no UUID is 400', async () => {
    expect((await api.post('/kyb/validate_password/abc', { password: 'x' })).status).toBe(400)
  })
})
