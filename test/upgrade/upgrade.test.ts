/**
 * Tests an upgrade from the last release, with data, open workflows and applied migrations, one process at a time. Then
 * tests a rollback to the last release.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { buildLastRelease, missingLastRelease } from '../../dev/release/last-release.ts'
import { createApi } from '../support/api.ts'
import { createDatabase, dropDatabase, serviceUrlOf } from '../support/database.ts'
import { createSoftKyc, untilStatus } from '../support/identification.ts'
import { createNamespace, eventually, unique } from '../support/instance.ts'
import { completeSections, uploadRequired } from '../support/kyb.ts'
import { type Spawned, scriptArgs, spawnProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'

const run = promisify(execFile)
const DRAFT = completeSections()
const name = `test_${randomBytes(6).toString('hex')}`

// Copies without history cannot run this. A release demands it.
describe.skipIf(missingLastRelease)('An upgrade from the last release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  let programs: Record<Version, (script: string) => string>
  let env: Record<string, string>
  const running = new Map<string, Spawned>()
  const ports = { api: 0, worker: 0 }

  type Version = 'old' | 'new'
  const cli = async (version: Version, ...args: string[]) => {
    const { stdout } = await run(process.execPath, [programs[version]('src/cli/main.ts'), ...args], { env })
    return stdout.trim()
  }
  /** Starts or replaces a process, and waits until it is ready. */
  async function replace(role: 'api' | 'worker', version: Version): Promise<void> {
    await running.get(role)?.stop()
    const port = ports[role]
    const bundle = { old: join(folder, 'old/dist/workflow-bundle.js'), new: inject('workflowBundle') }
    const own =
      role === 'api'
        ? { PORT: String(port) }
        : { HEALTH_PORT: String(port), WORKFLOW_BUNDLE: bundle[version] }
    const script = programs[version](role === 'api' ? 'src/server.ts' : 'src/worker.ts')
    const started = spawnProcess(script, { ...env, ...own })
    running.set(role, started)
    await started.ready()
  }
  const migrate = async (version: Version) => {
    await cli(version, 'migrate')
    await cli(version, 'setup-temporal')
  }

  let api: ReturnType<typeof createApi>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let isReceiverAway = false
  let refused = 0
  /** The paths of the resources, with their content before the upgrade. */
  const before = new Map<string, object>()
  const ids = { draft: '', closed: '', account: '' }
  /** Returns the content of a resource without texts, which releases can change. */
  const read = async (path: string) => {
    const { body } = await api.get(path)
    return JSON.parse(JSON.stringify(body.data, (key, value) => (key === 'message' ? undefined : value)))
  }
  const send = async (method: 'post' | 'patch' | 'put', path: string, body: object = {}) => {
    let answer = await api[method](path, body)
    // A worker that has just started may be late. Clients then repeat the request.
    while (answer.status === 503) answer = await api[method](path, body)
    expect([path, answer.status, answer.body]).toEqual([
      path,
      expect.toBeOneOf([200, 201]),
      expect.anything(),
    ])
    return answer.body.data
  }

  beforeAll(async () => {
    programs = {
      old: buildLastRelease(join(folder, 'old')),
      new: (script) => scriptArgs(script)[0] ?? '',
    }
    const owner = await createDatabase(name)
    await createNamespace(inject('temporalAddress'), name)
    Object.assign(ports, { api: await freePort(), worker: await freePort() })
    env = {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: serviceUrlOf(name),
      MIGRATION_DATABASE_URL: owner,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: name,
      ...newKeys(),
      BLOB_URL: pathToFileURL(join(folder, 'files')).href,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      SANDBOX_CHECK_DELAY_MS: '50',
      LOG_LEVEL: 'error',
    }
    receiver = await startReceiver((res) => {
      if (isReceiverAway) refused += 1
      res.writeHead(isReceiverAway ? 503 : 200).end()
    })
    await migrate('old')
    await Promise.all([replace('api', 'old'), replace('worker', 'old')])
    const vault = await cli('old', 'create-vault', '--name', 'Client')
    const key = await cli(
      'old',
      'create-api-key',
      '--vault',
      vault,
      '--role',
      'api_read',
      '--role',
      'api_write',
    )
    api = createApi(`http://127.0.0.1:${ports.api}/v1`, key)
  })
  afterAll(async () => {
    for (const each of running.values()) await each.stop('SIGKILL')
    await receiver?.stop()
    await dropDatabase(name)
    rmSync(folder, { recursive: true, force: true })
  })

  test('begins with data and open workflows of the last release', async () => {
    await send('put', '/users/update_webhook', {
      webhook_url: { identification: [receiver.url] },
      long_retries: true,
    })
    for (const key of ['draft', 'closed'] as const)
      ids[key] = (await send('post', '/kyb', { external_id: unique() })).id
    await send('patch', `/kyb/${ids.draft}`, DRAFT)
    await uploadRequired(api, ids.draft)
    await send('post', `/sandbox/kyb/${ids.closed}/simulate_review`, { outcome: 'approved' })
    ids.account = await createSoftKyc(api, { name: 'Approved' })
    await untilStatus(api, ids.account, 'approved')
    await send('post', `/identifications/${ids.account}/block`, { reason: 'suspected_fraud' })
    for (const path of [`/kyb/${ids.closed}`, `/identifications/${ids.account}`])
      before.set(path, await read(path))
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0))
  })

  test('replaces one process at a time, and reads the same data', async () => {
    await migrate('new')
    // The last release works with the migrated database.
    await send('patch', `/kyb/${ids.draft}`, { nature_of_business: { postal_code_address: '10116' } })
    await replace('api', 'new')
    await send('patch', `/kyb/${ids.draft}`, { nature_of_business: { postal_code_address: '10117' } })
    isReceiverAway = true
    await createSoftKyc(api, { name: 'Undelivered' })
    await eventually(() => expect(refused).toBeGreaterThan(0))
    await replace('worker', 'new')
    isReceiverAway = false
    for (const [path, content] of before) expect(await read(path)).toMatchObject(content)
    const { nature_of_business: business } = await read(`/kyb/${ids.draft}`)
    expect(business).toMatchObject({ ...DRAFT.nature_of_business, postal_code_address: '10117' })
  })

  test('continues the open workflows, and delivers what the receiver did not accept', async () => {
    await send('patch', `/kyb/${ids.draft}`, { nature_of_business: { city_address: 'Berlin' } })
    await send('post', `/sandbox/kyb/${ids.draft}/simulate_review`, { outcome: 'approved' })
    await send('post', `/identifications/${ids.account}/unblock`)
    expect((await read(`/kyb/${ids.draft}`)).status).toEqual({ completed: true, processed: true })
    expect((await read(`/identifications/${ids.account}`)).status).not.toBe('blocked')
    await eventually(async () => {
      const { body } = await api.get('/webhook_logs?type=identification&status=all')
      expect(new Set(body.data.map(({ status }: { status: string }) => status))).toEqual(
        new Set(['completed']),
      )
    })
    await cli('new', 'reconcile')
    await cli('new', 'check-files')
  })

  test('can return to the last release without losing data', async () => {
    const { id } = await send('post', '/kyb', { external_id: unique() })
    const name = { nature_of_business: { legal_company_name: 'New GmbH' } }
    await send('patch', `/kyb/${id}`, name)
    await Promise.all([replace('api', 'old'), replace('worker', 'old')])
    expect(await read(`/kyb/${id}`)).toMatchObject(name)
    await send('patch', `/kyb/${id}`, { nature_of_business: { city_address: 'Berlin' } })
    await cli('old', 'reconcile')
  })
})
