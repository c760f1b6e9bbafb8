/** Tests `npm run listen`: it prints genuine deliveries, refuses others, and restores the settings. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { freePort } from '../../dev/launcher/ports.ts'
import { TOPICS } from '../../src/domain/base/topics.ts'
import { eventBody } from '../../src/domain/webhook/events.ts'
import { signatureHeader } from '../../src/webhooks/signature.ts'
import { createImported } from '../support/identification.ts'
import { eventually, sharedInstance, unique } from '../support/instance.ts'

const OTHER = 'http://127.0.0.1:9/other'
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-listen-'))
const gatehouse = await sharedInstance({ worker: true })
const { api_key } = gatehouse.credentials
const instance = { ready: true, base_url: `${gatehouse.baseUrl}/v1`, api_key }
writeFileSync(join(folder, 'instance.json'), JSON.stringify(instance))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

let child: ChildProcess | null = null
afterEach(() => {
  child?.kill('SIGKILL')
})

function run(args: string[], dataDir = folder) {
  const started = spawn(process.execPath, ['dev/listen/main.ts', ...args], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  const texts = { out: '', err: '' }
  started.stdout.on('data', (chunk) => (texts.out += chunk))
  started.stderr.on('data', (chunk) => (texts.err += chunk))
  const ended = once(started, 'close').then(([code]) => ({ code, ...texts }))
  const stop = () => {
    started.kill('SIGINT')
    return ended
  }
  return { texts, ended, stop }
}

async function listen(...args: string[]) {
  const port = await freePort()
  const listener = run(['--port', String(port), ...args])
  await eventually(() => expect(listener.texts.err).toContain('To stop, press Ctrl-C.'))
  const url = `http://127.0.0.1:${port}/`
  const post = async (body: string, secret = 'whsec_mine', headers = {}) => {
    const signature = signatureHeader([secret], body, Math.floor(Date.now() / 1000))
    return fetch(url, { method: 'POST', body, headers: { 'Service-Signature': signature, ...headers } })
  }
  return { ...listener, url, post }
}

const urls = async () => (await gatehouse.api.get('/users/settings')).body.data.webhook_url_list
const approved = (attributes: object = {}) =>
  eventBody({ name: 'identification_approved', attributes: { status: 'approved', ...attributes } })

test('registers itself next to other URLs, prints deliveries, and unregisters when it ends', async () => {
  await gatehouse.api.put('/users/update_webhook', { webhook_url: { account: [OTHER] } })
  const { texts, stop, url } = await listen('--register', 'account,identification')
  expect(await urls()).toEqual({ account: [OTHER, url], identification: [url] })
  const id = await createImported(gatehouse.api)
  await eventually(() =>
    expect(texts.out).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}identification_created +${id} {2}approved$`, 'm'),
    ),
  )
  expect(await stop()).toMatchObject({ code: 0, err: expect.stringContaining('no longer registered') })
  expect(await urls()).toEqual({ account: [OTHER], identification: [] })
})

test('registers with options, and shows them without the values of headers', async () => {
  const events = 'identification_created,kyb_processed'
  const { texts, stop, url } = await listen(
    ...['--register', 'identification', '--name', 'My machine', '--events', events],
    ...['--header', 'X-Tenant: hidden', '--header', 'Authorization: Bearer hidden', '--rate', '20'],
  )
  await eventually(() => expect(texts.err).toContain('Maximum rate: 20 per second'))
  for (const line of [
    'Name: My machine',
    'Events: identification_created, kyb_processed',
    'Headers: X-Tenant, Authorization',
  ])
    expect(texts.err).toContain(line)
  expect(texts.err).not.toContain('hidden')
  const registered = (await gatehouse.api.get('/webhook_urls')).body.data
  expect(registered).toContainEqual(
    expect.objectContaining({ url, name: 'My machine', max_per_second: 20, events: events.split(',') }),
  )
  const id = await createImported(gatehouse.api)
  await eventually(() => expect(texts.out).toContain(id))
  await stop()
  const left = (await gatehouse.api.get('/webhook_urls')).body.data
  expect(JSON.stringify(left)).not.toContain(url)
})

test('receives over https with a client certificate, as the options of the URL say, and refuses others', async () => {
  const authority = await receiverAuthority(folder)
  const [own, client, other] = [
    await receiverCertificate(authority),
    await receiverCertificate(authority),
    await receiverCertificate(authority),
  ]
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const tls = [
    ...['--certificate', file('own.pem', own.cert), '--key', file('own.key', own.key)],
    ...['--ca', file('ca.pem', authority.cert)],
    ...['--client-certificate', file('client.pem', client.cert)],
    ...['--client-key', file('client.key', client.key)],
  ]
  const { texts, stop, url: plain } = await listen('--register', 'identification', ...tls)
  const url = plain.replace('http:', 'https:')
  expect(texts.err).toContain(`Listening on ${url}`)
  expect(texts.err).toContain('Sends the certificate of --client-certificate')
  const id = await createImported(gatehouse.api)
  await eventually(() => expect(texts.out).toContain(id))
  for (const certificate of [{}, other]) {
    const status = await new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', ca: authority.cert, ...certificate }, (res) => {
        resolve(res.resume().statusCode)
      })
      sent.on('error', reject).end('{}')
    })
    expect(status).toBe(401)
  }
  await eventually(() => expect(texts.err).toContain('the client certificate is missing or another one'))
  await stop()
})

test('shows when its URL is paused and resumed', async () => {
  const { texts, stop, url } = await listen('--register', 'identification')
  const { data } = (await gatehouse.api.get('/webhook_urls')).body
  const { id } = data.find((each: { url: string }) => each.url === url)
  await gatehouse.api.patch(`/webhook_urls/${id}`, { paused: true })
  await eventually(() => expect(texts.err).toContain('Paused. Deliveries wait'))
  await gatehouse.api.patch(`/webhook_urls/${id}`, { paused: false })
  await eventually(() => expect(texts.err).toContain('Resumed.'))
  await stop()
})

test.each([
  [['--register', 'all', '--ca', 'x.pem'], '--ca: x.pem cannot be read (ENOENT).'],
  [['--register', 'all', '--ca', 'package.json'], 'require --certificate and --key'],
  [['--ca', 'package.json'], 'require --register'],
  [['--key', 'package.json'], '--certificate and --key require each other'],
  [['--certificate', 'package.json', '--key', 'package.json'], '--certificate and --key cannot be used'],
])('refuses %j', async (args, message) => {
  const { code, err } = await run([...args, '--port', String(await freePort())]).ended
  expect([code, err]).toEqual([1, expect.stringContaining(message)])
})

test('registers all topics with --register all', async () => {
  const { stop, url } = await listen('--register', 'all')
  const registered = await urls()
  expect(TOPICS.filter((topic) => registered[topic].includes(url))).toEqual([...TOPICS])
  await stop()
  expect(JSON.stringify(await urls())).not.toContain(url)
})

test('registers two processes, and unregisters both', async () => {
  const both = await Promise.all([listen('--register', 'all'), listen('--register', 'all')])
  const registered = await urls()
  for (const { url } of both)
    expect(TOPICS.filter((topic) => registered[topic].includes(url))).toEqual([...TOPICS])
  await Promise.all(both.map(({ stop }) => stop()))
  for (const { url } of both) expect(JSON.stringify(await urls())).not.toContain(url)
})

test('changes no setting without --register', async () => {
  const before = await urls()
  const { stop } = await listen()
  expect(await urls()).toEqual(before)
  await stop()
  expect(await urls()).toEqual(before)
})

describe('with a secret and without an instance', () => {
  const alone = (...args: string[]) => listen('--secret', 'whsec_mine', ...args)

  test('prints only the unchanged bodies with --json', async () => {
    const { post, stop } = await alone('--json')
    const bodies = [approved(), approved({ text: 'Zürich ☂\n' })]
    for (const body of bodies) expect((await post(body)).status).toBe(200)
    expect((await stop()).out).toBe(bodies.map((body) => `${body}\n`).join(''))
  })
  test('refuses an invalid delivery with 401 and a line with the reason', async () => {
    const { url, post, texts, stop } = await alone()
    expect((await post(approved(), 'whsec_another')).status).toBe(401)
    await eventually(() => expect(texts.err).toMatch(/REFUSED POST \/ \(the signature does not match/))
    expect((await fetch(url)).status).toBe(401)
    await eventually(() =>
      expect(texts.err).toMatch(/REFUSED GET \/ \(the Service-Signature header is missing/),
    )
    expect((await stop()).out).toBe('')
  })
  test('shows the message of a failure, without control characters for the terminal', async () => {
    const { post, stop } = await alone()
    const fiat_payment_uuid = unique()
    const attributes = { fiat_payment_uuid, status: 'failed', message: 'No.\u001b[2J\nfake' }
    await post(eventBody({ name: 'fiat_payment_failed', attributes }, 'error'))
    expect((await stop()).out.slice(10)).toBe(
      `fiat_payment_failed         ${fiat_payment_uuid}  failed  No. [2J fake\n`,
    )
  })
  test('returns 500 for the first deliveries with --fail, and prints them', async () => {
    const { post, stop } = await alone('--fail', '2')
    const statuses: number[] = []
    for (let n = 0; n < 4; n++) statuses.push((await post(approved())).status)
    expect(statuses).toEqual([500, 500, 200, 200])
    expect((await stop()).out.trim().split('\n')).toHaveLength(4)
  })
  test('waits before it responds with --delay', async () => {
    const { post, stop } = await alone('--delay', '400')
    const started = performance.now()
    expect((await post(approved())).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(390)
    await stop()
  })
})

describe('error messages', () => {
  const expectError = async (args: string[], words: string, dataDir?: string) =>
    expect(await run(args, dataDir).ended).toEqual({ code: 1, out: '', err: expect.stringContaining(words) })

  test('name npm start if there is no instance', () =>
    expectError([], 'Start one with npm start', join(folder, 'nothing')))
  test('name the required user if instance.json cannot be read', async () => {
    const unreadable = mkdtempSync(join(folder, 'unreadable-'))
    mkdirSync(join(unreadable, 'instance.json'))
    await expectError([], 'Run this command as the user who started the instance', unreadable)
  })
  test('ask the user to check the instance if it does not respond', async () => {
    const gone = mkdtempSync(join(folder, 'gone-'))
    const instance = {
      ready: true,
      base_url: `http://127.0.0.1:${await freePort()}/v1`,
      api_key: 'gk_test_x',
    }
    writeFileSync(join(gone, 'instance.json'), JSON.stringify(instance))
    await expectError(['--port', '0'], 'Check that the instance is running.', gone)
  })
  test('name a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    await expectError(['--port', String(port)], `Port ${port} is busy`)
    server.close()
  })
  test.each([
    [['--port', 'x'], '--port requires a whole number'],
    [['--register', 'payments'], 'There is no topic payments'],
    [['--loud'], "Unknown option '--loud'"],
    [['--name', 'x'], 'require --register'],
    [['--register', 'all', '--header', 'x'], '--header requires a name and a value'],
    [['--register', 'all', '--rate', '1e9'], '--rate requires a whole number'],
  ])('state the problem with %j', (args, words) => expectError(args, words))
  test('contain the error code of the API if the API refuses the URL', async () => {
    const full = Array.from({ length: 10 }, (_, n) => `${OTHER}/${n}`)
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: full } })
    const { code, err } = await run(['--port', '0', '--register', 'ticket']).ended
    expect([code, err]).toEqual([1, expect.stringContaining('too_many')])
    expect((await urls()).ticket).toEqual(full)
  })
})
