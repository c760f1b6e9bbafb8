/** Schemathesis sends what the documents allow and what they do not, all checks on, and finds nothing. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../support/api.ts'
import { type Instance, startInstance } from '../support/instance.ts'

const VERSION = '4.32.5'
const MINUTES = 60_000
const run = promisify(execFile)
const config = new URL('../support/schemathesis.toml', import.meta.url).pathname

let gatehouse: Instance
let folder: string
let schemathesis: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-schemathesis-'))
  schemathesis = await installed()
  gatehouse = await startInstance()
  // The URLs it registers are nobody's to be called.
  await gatehouse.startWorker((activities) => ({
    ...activities,
    deliverWebhook: async () => 'final' as const,
  }))
}, 5 * MINUTES)
afterAll(async () => {
  await gatehouse?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The program, in an environment of its own that later runs find again. */
async function installed(): Promise<string> {
  const environment = join(tmpdir(), `gatehouse-schemathesis-${VERSION}`)
  const program = join(environment, 'bin', 'st')
  if (existsSync(program)) return program
  await run('python3', ['-m', 'venv', environment]).catch(() => {
    throw new Error('This test needs Python: install python3 (3.10 or newer) with its venv module.')
  })
  await run(join(environment, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`])
  return program
}

test.each(['client', 'operator'] as const)(
  'the API for each %s',
  async (audience) => {
    const base = `${gatehouse.baseUrl}${audience === 'client' ? '/v1' : '/operator/v1'}`
    const { operator_email: email, operator_password: password, api_key } = gatehouse.credentials
    const signIn = async () =>
      (await createApi(base, '').post('/sign_in', { email, password })).body.data.access_token as string
    const token = audience === 'client' ? api_key : await signIn()
    const options = ['--seed', '1842', '--url', base, '--header', `Authorization: ${token}`]
    const found = await run(
      schemathesis,
      ['--config-file', config, '--no-color', 'run', `${base}/openapi.json`, ...options],
      { cwd: folder, maxBuffer: 100_000_000 },
    ).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`,
    )
    expect(found).toBe('')
  },
  5 * MINUTES,
)
