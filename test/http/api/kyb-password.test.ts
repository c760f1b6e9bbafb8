/** Tests `POST /kyb/validate_password/{id}`. */
import { describe, expect, test } from 'vitest'
import { expectErrors } from '../../support/checks.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance()
const { api } = gatehouse

async function create() {
  const { body } = await api.post('/kyb', { external_id: unique() })
  const id: string = body.data.id
  const password: string = body.generated_password
  return {
    id,
    password,
    validate: (text: unknown) => api.post(`/kyb/validate_password/${id}`, { password: text }),
  }
}

describe('POST /kyb/validate_password/{id}', () => {
  test('accepts only the generated password', async () => {
    const { password, validate } = await create()
    expect(await validate(password)).toMatchObject({ status: 200, body: { authenticate: true } })
    expect(await validate(`${password}x`)).toMatchObject({ status: 200, body: { authenticate: false } })
    expect((await validate(password.toLowerCase())).body).toEqual({ authenticate: false })
    expect((await validate('')).body).toEqual({ authenticate: false })
  })

  test('rejects the password of another application', async () => {
    const [one, other] = [await create(), await create()]
    expect((await one.validate(other.password)).body).toEqual({ authenticate: false })
  })

  test('returns 429 with Retry-After of at most 60 seconds after five failed attempts, even for the right password', async () => {
    const { password, validate } = await create()
    for (let n = 0; n < 5; n++) expect((await validate('wrong')).status).toBe(200)
    const answer = await validate(password)
    expect(answer.status).toBe(429)
    expectErrors(answer, 'too_many_attempts')
    const seconds = Number(answer.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test('does not count correct passwords as attempts', async () => {
    const { password, validate } = await create()
    for (let n = 0; n < 8; n++) expect((await validate(password)).body).toEqual({ authenticate: true })
    for (let n = 0; n < 5; n++) expect((await validate('wrong')).status).toBe(200)
    expect((await validate('wrong')).status).toBe(429)
  })

  test('applies the limit to concurrent failed attempts', async () => {
    const { validate } = await create()
    const answers = await Promise.all(Array.from({ length: 12 }, () => validate('wrong')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  test('applies the limit to the ID in upper case too', async () => {
    const { id, password, validate } = await create()
    for (let n = 0; n < 5; n++) await validate('wrong')
    const answer = await api.post(`/kyb/validate_password/${id.toUpperCase()}`, { password })
    expect(answer.status).toBe(429)
  })

  test('counts the attempts of each application separately', async () => {
    const [one, other] = [await create(), await create()]
    for (let n = 0; n < 6; n++) await one.validate('wrong')
    expect((await other.validate(other.password)).body).toEqual({ authenticate: true })
  })

  test('rejects the password for another vault or an unknown ID', async () => {
    const { id, password } = await create()
    const { api: stranger } = await addVault(gatehouse)
    for (const where of [id, unique()]) {
      const { status, body } = await stranger.post(`/kyb/validate_password/${where}`, { password })
      expect({ status, body }).toEqual({ status: 200, body: { authenticate: false } })
    }
  })

  test('requires only a read-only key', async () => {
    const { id, password } = await create()
    const { body } = await gatehouse.reader.post(`/kyb/validate_password/${id}`, { password })
    expect(body).toEqual({ authenticate: true })
  })

  test.each([
    [{}, 'required'],
    [{ password: null }, 'invalid'],
    [{ password: 5 }, 'invalid'],
    [{ password: 'x'.repeat(201) }, 'too_long'],
  ])('returns 422 for %j, and does not count it as an attempt', async (body, code) => {
    const { id, password, validate } = await create()
    for (let n = 0; n < 6; n++) {
      const answer = await api.post(`/kyb/validate_password/${id}`, body)
      expect(answer.status).toBe(422)
      expectErrors(answer, { code, field: 'password' })
    }
    expect((await validate(password)).body).toEqual({ authenticate: true })
  })

  test('returns 400 for a malformed ID', async () => {
    expect((await api.post('/kyb/validate_password/abc', { password: 'x' })).status).toBe(400)
  })
})
