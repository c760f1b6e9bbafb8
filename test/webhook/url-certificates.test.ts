/** Tests own certificate authorities and client certificates of webhook URLs with real receivers over HTTPS. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { sql } from 'drizzle-orm'
import selfsigned from 'selfsigned'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Certificate, receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { expectErrors } from '../support/checks.ts'
import { sharedInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { settledLogs, vaultWith } from '../support/webhook-url.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
const gatehouse = await sharedInstance({ worker: true })
let authority: Certificate
let client: Certificate
let other: Certificate
beforeAll(async () => {
  authority = await receiverAuthority(folder)
  client = await receiverCertificate(authority)
  other = await receiverCertificate(authority)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts a receiver that requires a client certificate. Returns the certificates that clients sent, too. */
async function startMutual() {
  const certificates: string[] = []
  const receiver = await startReceiver(
    (res) => {
      certificates.push((res.req.socket as TLSSocket).getPeerCertificate().raw.toString('base64'))
      res.writeHead(200).end()
    },
    {
      ...(await receiverCertificate(authority)),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
    },
  )
  return { ...receiver, certificates }
}
const rawOf = ({ cert }: Certificate) => cert.replace(/-----[A-Z ]+-----|\s/g, '')
const testAt = async (vault: Awaited<ReturnType<typeof vaultWith>>, url: string) =>
  (await vault.api.post('/users/test_webhook', { url })).body.data

test('trusts only the authority of the URL, and sends its client certificate, in deliveries and tests', async () => {
  const receiver = await startMutual()
  const vault = await vaultWith(gatehouse, receiver.url)
  expect(await testAt(vault, receiver.url)).toMatchObject({
    accepted: false,
    error: expect.stringContaining('the TLS certificate was not accepted'),
  })
  await vault.change(receiver.url, { ca: authority.cert })
  expect(await testAt(vault, receiver.url)).toMatchObject({
    accepted: false,
    error: expect.stringMatching(/requires a client certificate/),
  })
  await vault.change(receiver.url, { client_certificate: client.cert, client_key: client.key })
  expect(await testAt(vault, receiver.url)).toMatchObject({ accepted: true })
  const [log] = await settledLogs(gatehouse, await vault.publish(1))
  expect(log?.status).toBe('completed')
  expect(receiver.certificates).toEqual([rawOf(client), rawOf(client)])

  await vault.change(receiver.url, { client_certificate: other.cert, client_key: other.key })
  await settledLogs(gatehouse, await vault.publish(1))
  expect(receiver.certificates.at(-1)).toBe(rawOf(other))

  await vault.change(receiver.url, { client_certificate: null })
  expect((await testAt(vault, receiver.url)).accepted).toBe(false)
  await receiver.stop()
})

test('does not use a connection of another vault to the same host', async () => {
  const receiver = await startMutual()
  const [one, two, none] = [
    await vaultWith(gatehouse, receiver.url),
    await vaultWith(gatehouse, receiver.url),
    await vaultWith(gatehouse, receiver.url),
  ]
  const ca = authority.cert
  await one.change(receiver.url, { ca, client_certificate: client.cert, client_key: client.key })
  await two.change(receiver.url, { ca, client_certificate: other.cert, client_key: other.key })
  await none.change(receiver.url, { ca })
  for (const [vault, expected] of [
    [one, client],
    [two, other],
    [one, client],
    [two, other],
  ] as const) {
    await settledLogs(gatehouse, await vault.publish(1))
    expect(receiver.certificates.at(-1)).toBe(rawOf(expected))
    expect(await testAt(none, receiver.url)).toMatchObject({ accepted: false })
  }
  expect(receiver.certificates).toHaveLength(4)
  await receiver.stop()
})

test('stores the key encrypted, and shows it nowhere', async () => {
  const url = 'https://receiver.example/hook'
  const vault = await vaultWith(gatehouse, url)
  const change = { client_certificate: client.cert, client_key: client.key }
  const answer = await vault.change(url, change)
  const audit = async () =>
    (await (await gatehouse.operator()).get('/audit?action=webhook_url_options_changed&per_page=1')).body
  const { data, pagination } = await audit()
  expect(data[0].changes).toEqual({ url: { to: url }, client_certificate: {}, client_key: {} })
  const dump = await gatehouse.db.orm.execute(
    sql`SELECT webhook_urls::text, encode(client_key, 'escape') FROM webhook_urls`,
  )
  const secret = client.key.split('\n')[1] ?? ''
  expect(secret.length).toBeGreaterThan(20)
  for (const shown of [answer, data, dump, (await vault.api.get('/webhook_urls')).body])
    expect(JSON.stringify(shown)).not.toContain(secret)
  await vault.change(url, change)
  expect((await audit()).pagination.total_count).toBe(pagination.total_count)
})

describe('refuses', () => {
  const url = 'https://receiver.example/hook'
  const expired = (cert: Partial<{ notBeforeDate: Date; notAfterDate: Date }>) =>
    selfsigned.generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', ...cert })
  const DAY = 86_400_000

  test('certificates that cannot be used, and changes nothing', async () => {
    const vault = await vaultWith(gatehouse, url)
    const old = await expired({
      notBeforeDate: new Date(Date.now() - 9 * DAY),
      notAfterDate: new Date(Date.now() - DAY),
    })
    const future = await expired({
      notBeforeDate: new Date(Date.now() + DAY),
      notAfterDate: new Date(Date.now() + 9 * DAY),
    })
    const { cert, key } = client
    const cases: [object, { code: string; field: string }][] = [
      [{ ca: 'no certificate' }, { code: 'invalid_certificate', field: 'ca' }],
      [{ ca: cert.replace(/[A-Z]/, '!') }, { code: 'invalid_certificate', field: 'ca' }],
      [{ ca: `${cert}${key}` }, { code: 'invalid_certificate', field: 'ca' }],
      [{ ca: cert.replace(/\n.{20}/, '\nAAAA') }, { code: 'invalid_certificate', field: 'ca' }],
      [{ ca: old.cert }, { code: 'certificate_expired', field: 'ca' }],
      [{ ca: `${cert}\n${future.cert}` }, { code: 'certificate_expired', field: 'ca' }],
      [{ ca: 'x'.repeat(100_001) }, { code: 'too_long', field: 'ca' }],
      [{ client_certificate: cert }, { code: 'required', field: 'client_key' }],
      [{ client_key: key }, { code: 'required', field: 'client_certificate' }],
      [
        { client_certificate: key, client_key: key },
        { code: 'invalid_certificate', field: 'client_certificate' },
      ],
      [
        { client_certificate: cert, client_key: null },
        { code: 'required', field: 'client_key' },
      ],
      [
        { client_certificate: null, client_key: key },
        { code: 'required', field: 'client_certificate' },
      ],
      [
        { client_certificate: cert, client_key: cert },
        { code: 'invalid_private_key', field: 'client_key' },
      ],
      [
        { client_certificate: cert, client_key: 'x' },
        { code: 'invalid_private_key', field: 'client_key' },
      ],
      [
        { client_certificate: cert, client_key: other.key },
        { code: 'certificate_key_mismatch', field: 'client_key' },
      ],
      [
        { client_certificate: old.cert, client_key: old.private },
        { code: 'certificate_expired', field: 'client_certificate' },
      ],
    ]
    for (const [body, problem] of cases) {
      const answer = await vault.api.patch(`/webhook_urls/${vault.idOf(url)}`, { name: 'Changed', ...body })
      expectErrors(answer, problem)
      expect(JSON.stringify(answer.body)).not.toContain(key.split('\n')[1])
    }
    expect((await vault.api.get('/webhook_urls')).body.data[0].name).toBeNull()
  })

  test('certificates for a URL with http', async () => {
    const plain = 'http://receiver.example/hook'
    const vault = await vaultWith(gatehouse, plain)
    const answer = await vault.api.patch(`/webhook_urls/${vault.idOf(plain)}`, { ca: authority.cert })
    expectErrors(answer, { code: 'invalid', field: 'ca' })
  })

  test.each([
    [{ Host: 'x' }, 'headers.Host'],
    [{ 'content-length': '1' }, 'headers.content-length'],
    [{ Connection: 'close' }, 'headers.Connection'],
    [{ 'Transfer-Encoding': 'chunked' }, 'headers.Transfer-Encoding'],
    [{ 'Service-Signature': 'x' }, 'headers.Service-Signature'],
    [{ 'webhook-id': 'x' }, 'headers.webhook-id'],
    [{ 'Gatehouse-Attempt': '9' }, 'headers.Gatehouse-Attempt'],
    [{ 'X A': 'x' }, 'headers.X A'],
    [{ '': 'x' }, 'headers.'],
    [JSON.parse('{"__proto__": "x"}'), 'headers.__proto__'],
    [{ 'X-Ä': 'x' }, 'headers.X-Ä'],
    [{ 'X-A': 'a\r\nX-B: b' }, 'headers.X-A'],
    [{ 'X-A': 'ä' }, 'headers.X-A'],
    [{ 'X-A': '' }, 'headers.X-A'],
    [{ 'X-A': ' a' }, 'headers.X-A'],
    [{ 'X-A': 1 }, 'headers.X-A'],
    [{ 'X-A': '1', 'x-a': '2' }, 'headers'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'x'])), 'headers'],
    [{ 'X-A': 'x'.repeat(3_999), 'X-B': 'x'.repeat(3_999), 'X-C': 'x' }, 'headers'],
  ])('the headers %j', async (headers, field) => {
    const vault = await vaultWith(gatehouse, url)
    const answer = await vault.api.patch(`/webhook_urls/${vault.idOf(url)}`, { headers })
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ field }])
    expect(answer.body.errors[0].message).not.toContain('This value is not allowed')
    expect((await vault.api.get('/webhook_urls')).body.data[0].header_names).toEqual([])
  })

  test.each([
    [{ events: [] }, 'events'],
    [{ events: ['kyb_unknown'] }, 'events.0'],
    [{ events: ['KYB'] }, 'events.0'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ paused: 'yes' }, 'paused'],
    [{ paused: null }, 'paused'],
    [{ max_per_second: 0 }, 'max_per_second'],
    [{ max_per_second: 1.5 }, 'max_per_second'],
    [{ max_per_second: 1_001 }, 'max_per_second'],
    [{ other: 1 }, 'other'],
  ])('the options %j', async (body, field) => {
    const vault = await vaultWith(gatehouse, url)
    const answer = await vault.api.patch(`/webhook_urls/${vault.idOf(url)}`, body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ field }])
  })
})
