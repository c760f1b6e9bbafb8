/** Tests `npm start` from the outside: the demo, killed processes, and a restart. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../support/api.ts'
import { eventually } from '../support/instance.ts'
import { type Launched, prepareLaunch } from '../support/launched.ts'

describe('npm start', () => {
  let launched: Launched
  beforeAll(async () => {
    launched = await prepareLaunch()
    await launched.launch()
  })
  afterAll(async () => {
    await launched.interrupt()
    launched.remove()
  })

  test('writes instance.json readable only by its owner, with working values', async () => {
    const instance = launched.read()
    expect(statSync(launched.file).mode & 0o777).toBe(0o600)
    expect(instance).toMatchObject({
      ready: true,
      console_url: expect.stringMatching(/\/console$/),
      temporal_address: expect.any(String),
    })
    expect((await createApi(instance.base_url, instance.api_key).get('/users/settings')).body.data.id).toBe(
      instance.vault_id,
    )
    const reader = createApi(instance.base_url, instance.read_only_api_key)
    expect((await reader.post('/kyb', { external_id: 'x' })).status).toBe(403)
    const user = await createApi(instance.base_url, '').post('/sign_in', {
      email: instance.user_email,
      password: instance.user_password,
    })
    expect(user.body.data.vaults).toMatchObject([{ id: instance.vault_id, roles: ['api_read', 'api_write'] }])
    const operator = await createApi(instance.operator_base_url, '').post('/sign_in', {
      email: instance.operator_email,
      password: instance.operator_password,
    })
    expect(operator.status).toBe(200)
    expect((await fetch(instance.temporal_ui_url ?? '')).status).toBe(200)
    for (const [name, url] of Object.entries(instance.metrics_urls)) {
      const text = await (await fetch(url)).text()
      expect(text).toContain(name === 'api' ? 'gatehouse_http_request_duration_seconds' : 'temporal_')
    }
  })

  test('completes the flow of npm run demo', async () => {
    const demo = spawn('npm', ['run', 'demo'], { env: launched.env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [demo.stdout, demo.stderr])
      stream?.on('data', (text) => {
        said += text
      })
    await once(demo, 'exit')
    expect(demo.exitCode, said).toBe(0)
    expect(said).toContain('signature verified')
    const { operator_base_url, operator_email: email, operator_password: password } = launched.read()
    const { body } = await createApi(operator_base_url, '').post('/sign_in', { email, password })
    const operators = createApi(operator_base_url, body.data.access_token)
    await expect
      .poll(async () => (await operators.get('/queue?hits=true')).body.data)
      .toMatchObject([{ title: 'Zoltan Krummbiegel', waiting_on: 'operator' }])
  })

  test('restarts any killed process without losing an acknowledged change', async () => {
    const { base_url, api_key } = launched.read()
    const api = createApi(base_url, api_key)
    const id = await api.createKyb()
    const landed: string[] = []
    let working = true
    const work = (async () => {
      for (let n = 0; working; n += 1) {
        const email = `p${n}@example.com`
        const answer = await api
          .patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [{ email }] } })
          .catch(() => null) // The API itself was unavailable, so the result is unknown.
        if (answer?.status === 200) landed.push(email)
        else expect(answer === null || answer.status === 503).toBe(true)
        if (n % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 200))
      }
    })()
    for (const name of ['worker', 'api', 'temporal', 'postgres'] as const) {
      const before = landed.length
      await launched.kill(name)
      await eventually(() => expect(landed.length).toBeGreaterThan(before))
    }
    working = false
    await work
    const { body } = await eventually(async () => {
      const answer = await api.get(`/kyb/${id}`)
      expect(answer.status).toBe(200)
      return answer
    })
    const stored = body.data.beneficiaries.beneficiaries_list.map((p: { email: string }) => p.email)
    expect(stored).toEqual(expect.arrayContaining(landed))
    expect(new Set(stored).size).toBe(stored.length)
  })

  test('stops everything cleanly on Ctrl-C, and finds its data at the next start', async () => {
    const { base_url, api_key, pids, ...seeded } = launched.read()
    const id = await createApi(base_url, api_key).createKyb('kept-over-a-restart')
    const { operator_base_url, operator_email: email, operator_password: password, vault_id } = seeded
    const signedIn = await createApi(operator_base_url, '').post('/sign_in', { email, password })
    const operator = createApi(operator_base_url, signedIn.body.data.access_token)
    const renamed = { name: 'Renamed', import_enabled: false }
    expect((await operator.patch(`/vaults/${vault_id}`, renamed)).status).toBe(200)
    expect(await launched.interrupt()).toBe(0)
    expect(existsSync(launched.file)).toBe(false)
    for (const pid of Object.values(pids)) expect(() => process.kill(pid as number, 0)).toThrow()

    const again = await launched.launch()
    expect([again.base_url, again.api_key]).toEqual([base_url, api_key])
    const api = createApi(again.base_url, again.api_key)
    expect((await api.get(`/kyb/${id}`)).body.data.external_id).toBe('kept-over-a-restart')
    expect((await operator.get(`/vaults/${vault_id}`)).body.data).toMatchObject(renamed)
    const change = { nature_of_business: { legal_company_name: 'Still here' } }
    await eventually(async () => expect((await api.patch(`/kyb/${id}`, change)).status).toBe(200))
  })
})
