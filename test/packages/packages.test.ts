/** Tests the packages in an empty project with Node.js and TypeScript. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackages } from '../../dev/packages/build.ts'
import { signatureHeader } from '../../src/webhooks/signature.ts'
import { wholeBody } from '../support/whole-body.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The client's dependencies as installed here, so that nothing is downloaded. */
const FOREIGN = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) =>
  join(ROOT, 'node_modules', name),
)
const project = mkdtempSync(join(tmpdir(), 'gatehouse-project-'))

beforeAll(async () => {
  const tarballs = await buildPackages(join(project, 'packages'))
  writeFileSync(join(project, 'package.json'), '{"private": true}')
  const options = ['--offline', '--install-links', '--no-audit', '--no-fund']
  await execa('npm', ['install', ...options, ...tarballs, ...FOREIGN], { cwd: project })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

test('requires the version of Node.js that docs/api.md states', () => {
  const stated = readFileSync(join(ROOT, 'docs/api.md'), 'utf8').match(
    /requires Node\.js (\S+) or later/,
  )?.[1]
  expect(stated).toBeDefined()
  for (const name of ['gatehouse-client', 'gatehouse-verify-webhook']) {
    const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ name, engines: { node: `>=${stated}` } })
  }
})

async function run(file: string, code: string, env: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(project, file), code)
  const { stdout } = await execa(process.execPath, [file], { cwd: project, env })
  return stdout
}

const BODY = '{"data":{"event":"account_locked","attributes":{"status":"locked"}}}'
const VERIFY = `
  const verified = verifyWebhook(process.env.BODY, process.env.SIGNATURE, 'whsec_example')
  console.log(verified.ok, verified.event, verifyWebhook(process.env.BODY, process.env.SIGNATURE, 'another').reason)`

test.each([
  ['verify.mjs', `import { verifyWebhook } from 'gatehouse-verify-webhook'${VERIFY}`],
  ['verify.cjs', `const { verifyWebhook } = require('gatehouse-verify-webhook')${VERIFY}`],
])('runs the verifier in %s', async (file, code) => {
  const SIGNATURE = signatureHeader(['whsec_example'], BODY, Math.floor(Date.now() / 1000))
  expect(await run(file, code, { BODY, SIGNATURE })).toBe('true account_locked wrong_signature')
})

const CALL = `
  const gatehouse = createGatehouseClient({ baseUrl: process.env.API + '/v1', token: 'gk_test_example' })
  gatehouse.POST('/kyb', { body: { external_id: 'company-1842' } }).then(({ data }) => console.log(data.data.id))`

const UPLOAD = `
  import { createGatehouseClient } from 'gatehouse-client'
  const gatehouse = createGatehouseClient({ baseUrl: process.env.API + '/v1', token: 'gk_test_example' })
  const params = { path: { id: '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f' } }
  const file = new File(['%PDF-1.4'], 'register.pdf')
  await gatehouse.POST('/kyb/upload_file/{id}', { params, body: { attribute: 'shareholders_registers', file } })
  await gatehouse.PATCH('/kyb/{id}', { params, body: { nature_of_business: { comercial_name: 'Engines' } } })`

test.each([
  ['client.mjs', `import { createGatehouseClient } from 'gatehouse-client'${CALL}`],
  ['client.cjs', `const { createGatehouseClient } = require('gatehouse-client')${CALL}`],
])('runs the client in %s', async (file, code) => {
  const asked: unknown[] = []
  const server = createServer(async (req, res) => {
    const body = await wholeBody(req)
    asked.push([req.method, req.url, req.headers.authorization, body?.toString()])
    res.setHeader('Content-Type', 'application/json').end('{"data":{"id":"one"}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  try {
    expect(await run(file, code, { API: `http://127.0.0.1:${port}` })).toBe('one')
  } finally {
    server.close()
  }
  expect(asked).toEqual([['POST', '/v1/kyb', 'Bearer gk_test_example', '{"external_id":"company-1842"}']])
})

test('sends a body with a file as a form', async () => {
  const asked: unknown[] = []
  const server = createServer(async (req, res) => {
    const body = await wholeBody(req)
    asked.push([req.headers['content-type']?.split(';')[0], body?.toString().match(/name="[^\r]*/g)])
    res.setHeader('Content-Type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  try {
    await run('upload.mjs', UPLOAD, { API: `http://127.0.0.1:${port}` })
  } finally {
    server.close()
  }
  expect(asked).toEqual([
    ['multipart/form-data', ['name="attribute"', 'name="file"; filename="register.pdf"']],
    ['application/json', null],
  ])
})

const TYPED = `
import { createGatehouseClient, type Delivery } from 'gatehouse-client'
import { verifyWebhook } from 'gatehouse-verify-webhook'

const gatehouse = createGatehouseClient({ baseUrl: 'https://gatehouse.example.com/v1', token: 'key' })

export async function create(): Promise<string[] | undefined> {
  // @ts-expect-error: an external_id is a text.
  await gatehouse.POST('/kyb', { body: { external_id: 1842 } })
  const { data } = await gatehouse.POST('/kyb', { body: { external_id: 'company-1842' } })
  return data?.data.requirements?.currently_due
}

export function outcomeOf(body: string): string | undefined {
  const delivery = JSON.parse(body) as Delivery
  const event = 'data' in delivery ? delivery.data : delivery.error
  if (event.event === 'fiat_payment_failed') return event.attributes.message
  // @ts-expect-error: an account has no outcome.
  if (event.event === 'account_locked') return event.attributes.outcome.length
  return event.event === 'kyb_processed' ? event.attributes.outcome : undefined
}

const verified = verifyWebhook('', undefined, 'secret')
export const reason: string = verified.ok ? verified.event : verified.reason
`

test('provides TypeScript types for bodies, responses and events', async () => {
  writeFileSync(join(project, 'typed.ts'), TYPED)
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: [],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}')
  const { stdout } = await execa('tsc', ['-p', project], { preferLocal: true, localDir: ROOT, reject: false })
  expect(stdout).toBe('')
})
