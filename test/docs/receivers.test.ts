/** Runs the receivers of docs/webhooks.md and examples/, which must accept only genuine deliveries. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { eventBody } from '../../src/domain/webhook/events.ts'
import { signatureHeader, signedHeaders } from '../../src/webhooks/signature.ts'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'
import { describeUnless, missingProgram } from '../support/available.ts'
import { eventually, unique } from '../support/instance.ts'

const PAGE = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const SECRET = 'whsec_tést'

const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)
const [withVerifyWebhook = '', ...more] = blocksOf('ts')
const example = (file: string) => readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8')

interface Language {
  readonly code: string
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
  /** The reason why the receiver cannot run here, or null. */
  readonly missing: string | null
}
const node = { file: 'receiver.ts', command: process.execPath, args: [], missing: null }
const LANGUAGES: Record<string, Language> = {
  TypeScript: { code: example('receiver.ts'), ...node },
  verifyWebhook: { code: withVerifyWebhook, ...node },
  'Stripe’s library': { code: example('receiver-stripe.ts'), ...node },
  Python: {
    code: example('receiver.py'),
    file: 'receiver.py',
    command: 'python3',
    args: [],
    missing: missingProgram('Python 3', 'python3', '--version'),
  },
  Go: {
    code: example('receiver.go'),
    file: 'receiver.go',
    command: 'go',
    args: ['run'],
    missing: missingProgram('Go', 'go', 'version'),
  },
}

/** These receivers show only the verification. */
const SHORT = ['verifyWebhook', 'Stripe’s library']

test('the page contains one receiver and links to each example', () => {
  expect([withVerifyWebhook === '', more.length]).toEqual([false, 0])
  const linked = [...PAGE.matchAll(/\(\.\.\/examples\/([\w.-]+)\)/g)].map(([, file]) => file)
  expect(linked.sort()).toEqual(readdirSync(new URL('../../examples', import.meta.url)).sort())
})

const EXAMPLE_SECRET = 'whsec_Z2F0ZWhvdXNlLWV4YW1wbGUtc2VjcmV0'

test('the example request on the page verifies with either signature', () => {
  const [, head = '', body = ''] = /^POST \/hooks HTTP\/1.1\n((?:.+\n)+)\n(.*)$/m.exec(PAGE) ?? []
  const headers = Object.fromEntries(
    head
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  )
  const at = Number(headers['webhook-timestamp'])
  expect(
    verifyWebhook(body, headers['Service-Signature'], EXAMPLE_SECRET, { now: new Date(at * 1000) }),
  ).toMatchObject({ ok: true, event: 'kyb_processed' })
  const attempt = { eventId: headers['webhook-id'], number: 1, body, secrets: [EXAMPLE_SECRET] }
  expect(headers).toMatchObject(signedHeaders(attempt, at))
})

const now = () => Math.floor(Date.now() / 1000)
const sign = (body: string, secret = SECRET, at = now()) => signatureHeader([secret], body, at)
const digestOf = (header: string) => header.split(',')[1] ?? ''

for (const [name, language] of Object.entries(LANGUAGES)) {
  describeUnless(language.missing, name, () => receives(name, language))
}

function receives(name: string, { code, file, command, args }: Language): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-receiver-'))
  let url: string
  let child: ChildProcess
  let output = ''
  beforeAll(async () => {
    writeFileSync(join(folder, file), code)
    const module = fileURLToPath(new URL('../../src/webhooks/verify-webhook.ts', import.meta.url))
    copyFileSync(module, join(folder, 'verify-webhook.ts'))
    const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
    symlinkSync(packages, join(folder, 'node_modules'), 'junction')
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    child = spawn(command, [...args, file], {
      cwd: folder,
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET },
      // A separate process group, because `go run` does not forward signals.
      detached: true,
    })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the receiver ended: ${output}`)
      await fetch(url, { method: 'POST' })
    }, 150_000)
  }, 160_000)
  afterAll(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const post = async (body: string, signature?: string) => {
    const headers = signature === undefined ? {} : { 'Service-Signature': signature }
    return (await fetch(url, { method: 'POST', body, headers })).status
  }
  const approved = (attributes: object = {}) =>
    eventBody({
      name: 'identification_approved',
      attributes: {
        event_id: unique(),
        external_uuid: 'Zürich ☂',
        identification_uuid: unique(),
        status: 'approved',
        version: 2,
        ...attributes,
      },
    })
  const printed = (eventId: string) => output.split('\n').filter((line) => line.includes(eventId)).length

  test('survives interrupted requests and endless bodies', async () => {
    const { hostname, port } = new URL(url)
    for (const length of [100, -1]) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\nabc`)
      const answered = once(socket, 'data')
      // A receiver waits for the rest of the body, but refuses an impossible length immediately.
      if (length < 0) expect(String(await answered)).toMatch(/^HTTP\/1\.[01] 40[01]/)
      socket.destroy()
    }
    await eventually(async () => expect(await post(approved())).toBe(401))
    expect(child.exitCode).toBeNull()
  })
  test('returns 200 for a genuine delivery and handles its event', async () => {
    const event_id = unique()
    const body = approved({ event_id })
    expect(await post(body, sign(body))).toBe(200)
    await eventually(() => expect(output).toContain(`identification_approved approved ${event_id}`))
  })
  test('reads an event under error', async () => {
    const [event_id, fiat_payment_uuid] = [unique(), unique()]
    const attributes = { event_id, fiat_payment_uuid, status: 'failed', message: 'No.' }
    const body = eventBody({ name: 'fiat_payment_failed', attributes }, 'error')
    expect(await post(body, sign(body))).toBe(200)
    await eventually(() => expect(output).toContain(`fiat_payment_failed failed ${event_id}`))
  })
  test('accepts any matching v1 in any position', async () => {
    const body = approved()
    for (const [secrets, status] of [
      [[SECRET, 'the old one'], 200],
      [['the new one', SECRET], 200],
      [['the new one', 'the old one'], 401],
    ] as const) {
      expect(await post(body, signatureHeader(secrets, body, now()))).toBe(status)
    }
  })
  test('returns 200 within five minutes of the signature, and 401 otherwise', async () => {
    const body = approved()
    for (const [age, status] of [
      [240, 200],
      [-240, 200],
      [320, 401],
      [-360, name === 'Stripe’s library' ? 200 : 401],
    ] as const) {
      expect(await post(body, sign(body, SECRET, now() - age)), `${age} s old`).toBe(status)
    }
  })
  test('returns 401 and handles nothing for a different body, secret or time, or without a header', async () => {
    const event_id = unique()
    const body = approved({ event_id })
    const good = sign(body)
    for (const [sent, header] of [
      [body.replace('"approved"', '"rejected"'), good],
      [`${body} `, good],
      ['', good],
      [body, sign(body, 'another secret')],
      [body, good.replace(/\d+/, (t) => String(Number(t) - 1))],
      [body, good.replace('v1=', 'v0=')],
      [body, good.slice(0, -1)],
      [body, `${good}0`],
      [body, good.split(',')[0]],
      [body, digestOf(good)],
      [body, `t=,${digestOf(good)}`],
      [body, `t=${now()},v1=${'é'.repeat(64)}`],
      [body, 'nonsense'],
      [body, ''],
      [body, undefined],
    ] as const) {
      expect(await post(sent, header), String(header)).toBe(401)
    }
    expect(printed(event_id)).toBe(0)
  })
  if (SHORT.includes(name)) return
  test('returns 200 for a duplicate and handles it once by its event_id', async () => {
    const ids = [unique(), unique()]
    const identification_uuid = unique()
    for (const event_id of [...ids, ...ids]) {
      const body = approved({ event_id, identification_uuid })
      expect(await post(body, sign(body))).toBe(200)
    }
    await eventually(() => expect(ids.map(printed)).toEqual([1, 1]))
  })
}
