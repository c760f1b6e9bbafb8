/** Tests that a dishonest client with a seat reaches nothing of another vault, and that hostile values change nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { receiverAuthority, receiverCertificate } from '../../../dev/certificates.ts'
import { auditLog } from '../../../drizzle/schema.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, createPerson, PASSWORD, signedIn } from '../../support/people.ts'
import { consoleRoutes } from '../../support/routes.ts'
import { insertLogs, readLogs } from '../../support/webhook.ts'

const gatehouse = await sharedInstance()
const { baseUrl, db } = gatehouse
const [vault, victim] = [await addVault(gatehouse), await addVault(gatehouse)]
const HOME = `/console/client/${vault.vaultId}`
const TARGET = 'https://receiver.example/hook'

type Browser = Awaited<ReturnType<typeof openConsole>>
let attacker: Browser

/** Registers a URL, and returns its ID. */
async function urlIn({ api }: typeof vault): Promise<string> {
  await api.put('/users/update_webhook', { webhook_url: { ticket: [TARGET] } })
  return (await api.get('/webhook_urls')).body.data[0].id
}

async function objectsOf({ api, vaultId }: typeof vault) {
  const kyb = await api.createKyb(unique(), {
    nature_of_business: { legal_company_name: 'Secret Trading Ltd' },
    beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: 'Secret Ada' }] },
  })
  const application = (await api.get(`/kyb/${kyb}`)).body.data
  const person = await api.post('/identifications/create_identify_process', { type: 'kyc' })
  const failed = { topic: 'ticket' as const, status: 'failed' as const, urlsDestiny: [TARGET] }
  const [log = ''] = await insertLogs(gatehouse, vaultId, failed)
  const member = await createPerson(gatehouse, { vaults: [{ id: vaultId, roles: ['client_viewer'] }] })
  return {
    kyb,
    beneficiary: application.beneficiaries.beneficiaries_list[0].external_id as string,
    person: person.body.data.identification_id as string,
    url: await urlIn({ api, vaultId } as typeof vault),
    log,
    key: (await createKey(gatehouse, { roles: ['api_read'] }, vaultId)).id as string,
    member: member.id,
  }
}
type Objects = Awaited<ReturnType<typeof objectsOf>>
let own: Objects
let foreign: Objects
beforeAll(async () => {
  const { email } = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vault.vaultId, roles: ['client_admin'] }],
  })
  attacker = await openConsole(baseUrl, { email, password: PASSWORD })
  own = await objectsOf(vault)
  foreign = await objectsOf(victim)
})

/** The object that each path contains as `:id`. */
const OBJECTS: readonly (readonly [path: string, object: keyof Objects])[] = [
  ['/webhooks/urls/', 'url'],
  ['/webhooks/', 'log'],
  ['/keys/', 'key'],
  ['/members/', 'member'],
  ['/kyb/', 'kyb'],
  ['/identifications/', 'person'],
]
const ACTIONS = ['test', 'pause', 'resume', 'topics', 'events', 'headers', 'remove_header', 'ca', 'remove']
const FORMS = [
  {},
  ...[...ACTIONS, 'name', 'max_per_second', 'client_certificate', 'secret', 'retry', 'stop'].map((act) => ({
    act,
    name: 'Taken',
    headers: 'X-A',
    header_value: 'x',
    header: 'X-A',
    topics: 'account',
    events: 'ticket_created',
    max_per_second: '1',
    role: 'client_admin',
    since: '2026-01-01',
    per_second: '1',
  })),
]

/** Everything that an attack could change, apart from records of failed attempts. */
const stateOf = async (vaultId: string) => {
  const of = sql`WHERE vault_id = ${vaultId}`
  const parts = [
    sql`SELECT md5(string_agg((id, name, events, headers, ca, client_certificate, max_per_second, paused)::text,
      ',' ORDER BY id)) FROM webhook_urls ${of}`,
    sql`SELECT md5(string_agg((t.url_list, t.secret)::text, ',')) FROM webhook_settings AS t ${of}`,
    sql`SELECT string_agg((id, status, round)::text, ',' ORDER BY id) FROM webhook_logs ${of}`,
    sql`SELECT string_agg((id, revoked_at)::text, ',' ORDER BY id) FROM api_keys ${of}`,
    sql`SELECT string_agg((user_id, roles)::text, ',' ORDER BY user_id) FROM vault_users ${of}`,
    sql`SELECT string_agg(link.token_hash::text, ',' ORDER BY link.identification_id)
      FROM verification_links AS link JOIN identifications ON identifications.id = link.identification_id ${of}`,
  ]
  return JSON.stringify(await Promise.all(parts.map((part) => db.orm.execute(part))))
}

describe('the IDs of another vault', () => {
  const routes = () => consoleRoutes(gatehouse.app).filter(({ path }) => path.startsWith('/console/client/:'))

  test('are not found by any page or form of the seat, which change nothing', async () => {
    const before = await stateOf(victim.vaultId)
    expect(routes().length).toBeGreaterThan(20)
    for (const { method, path } of routes()) {
      const [, object] = OBJECTS.find(([part]) => path.includes(`${part}:`)) ?? []
      const fill = (vaultId: string, objects: Objects) =>
        path
          .replace(':vault', vaultId)
          .replace(':id', object ? objects[object] : '')
          .replace(':person', objects.beneficiary)
          .replace('*rest', 'x')
      const addresses = [fill(victim.vaultId, foreign), fill(victim.vaultId, own)]
      if (object) addresses.push(fill(vault.vaultId, foreign))
      for (const address of addresses) {
        const forms = method === 'GET' ? [null] : address.includes('/urls/') ? FORMS : FORMS.slice(0, 1)
        for (const form of forms) {
          const answer = form ? await attacker.post(address, form) : await attacker.get(address)
          expect([method, address, JSON.stringify(form), answer.status]).toEqual([
            method,
            address,
            JSON.stringify(form),
            404,
          ])
          expect(await answer.text()).not.toContain('Secret')
        }
      }
    }
    expect(await stateOf(victim.vaultId)).toBe(before)
  })

  test('are not accepted in the fields of forms', async () => {
    const before = await stateOf(victim.vaultId)
    const page = `${HOME}/webhooks/urls/${own.url}`
    expect((await attacker.post(page, { act: 'retry', delivery: foreign.log })).status).toBe(404)
    const person = `${HOME}/kyb/${own.kyb}/beneficiaries/${foreign.beneficiary}/link`
    expect((await attacker.post(person)).status).toBe(404)
    expect(
      (await attacker.post(`${HOME}/keys`, { id: foreign.key, name: 'x', roles: 'api_read' })).status,
    ).toBe(409)
    expect(await stateOf(victim.vaultId)).toBe(before)
    const [log] = await readLogs(gatehouse, [foreign.log])
    expect(log?.round).toBe(1)
  })
})

describe('hostile options of a URL', () => {
  const page = () => `${HOME}/webhooks/urls/${own.url}`
  let pem: { cert: string; key: string; other: string }
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attack-'))
    const authority = await receiverAuthority(folder)
    rmSync(folder, { recursive: true })
    const [one, two] = [await receiverCertificate(authority), await receiverCertificate(authority)]
    pem = { cert: one.cert, key: one.key, other: two.key }
  })

  test.each<[string, () => Record<string, string>]>([
    ['a file of 1 MB', () => ({ act: 'ca', ca: 'x'.repeat(1_000_000) })],
    ['a thousand certificates', () => ({ act: 'ca', ca: pem.cert.repeat(1_000) })],
    [
      'as many certificates as fit',
      () => ({ act: 'ca', ca: pem.cert.repeat(Math.floor(99_000 / pem.cert.length)) }),
    ],
    ['a key instead of authorities', () => ({ act: 'ca', ca: pem.key })],
    ['a certificate followed by its key', () => ({ act: 'ca', ca: pem.cert + pem.key })],
    ['a key without a certificate', () => ({ act: 'client_certificate', client_key: pem.key })],
    ['a certificate without a key', () => ({ act: 'client_certificate', client_certificate: pem.cert })],
    [
      'the key of another certificate',
      () => ({ act: 'client_certificate', client_certificate: pem.cert, client_key: pem.other }),
    ],
    ...['0', '-1', '1001', '1e2', '0x10', '5.0', '1e9', '0.5', 'NaN', 'Infinity', '9'.repeat(400), '١'].map(
      (rate): [string, () => Record<string, string>] => [
        `the rate ${rate.slice(0, 9)}`,
        () => ({ act: 'max_per_second', max_per_second: rate }),
      ],
    ),
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'Webhook-Id',
      'webhook-x',
      'X\r\nY',
      'X Y',
      'Ü',
      'a:b',
      '',
    ].map((name): [string, () => Record<string, string>] => [
      `the header ${JSON.stringify(name)}`,
      () => ({ act: 'headers', headers: name, header_value: 'x' }),
    ]),
    ...['a\r\nX-Evil: 1', 'a\nb', 'a\u0000b', 'ü', '\u{1f600}', 'a\u2028b', 'x'.repeat(4_001)].map(
      (value): [string, () => Record<string, string>] => [
        `the header value ${JSON.stringify(value.slice(0, 9))}`,
        () => ({ act: 'headers', headers: 'X-A', header_value: value }),
      ],
    ),
  ])('are refused without a change: %s', async (_, form) => {
    const before = await stateOf(vault.vaultId)
    const { status } = await attacker.post(page(), form())
    expect([413, 422]).toContain(status)
    expect(await stateOf(vault.vaultId)).toBe(before)
  })

  test.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'; DROP TABLE x; --", '{t}'])(
    'are only a text as the name %s',
    async (name) => {
      expect((await attacker.post(page(), { act: 'name', name })).status).toBe(303)
      for (const path of [page(), page(), `${HOME}/webhooks`, HOME]) {
        const text = await attacker.text(path)
        for (const markup of ['<script>alert', '<img src=x']) expect(text).not.toContain(markup)
      }
      await attacker.post(page(), { act: 'name', name: '' })
    },
  )
})

test('twenty parallel changes of a URL are all kept and recorded', async () => {
  const by = await addVault(gatehouse)
  const id = await urlIn(by)
  const names = Array.from({ length: 20 }, (_, n) => `X-Header-${n}`)
  const answers = await Promise.all(
    names.map((name) => by.api.patch(`/webhook_urls/${id}`, { headers: { [name]: 'x' } })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const [url] = (await by.api.get('/webhook_urls')).body.data
  expect([...url.header_names].sort()).toEqual([...names].sort())
  const entries = await db.orm.select().from(auditLog).where(eq(auditLog.vaultId, by.vaultId))
  expect(entries.filter(({ action }) => action === 'webhook_url_options_changed')).toHaveLength(20)
})

describe('an address that is no single mailbox is refused', () => {
  const ADDRESSES = [
    '"ada lovelace"@example.com',
    '"ada@evil.example"@example.com',
    'ada(comment)@example.com',
    'ada@example.com,eve@evil.example',
    'ada@example.com;eve@evil.example',
    'ada@example.com eve@evil.example',
    'Ada <ada@example.com>',
    'group:ada@example.com;',
    'ada@[127.0.0.1]',
    'ada@@example.com',
    'ada@example.com\r\nBcc: eve@evil.example',
    'ada@example.com\u2028',
    'ada\u0000@example.com',
    'ada\\@example.com',
    'ada@',
    '@example.com',
    '<script>@example.com',
    `${'a'.repeat(250)}@example.com`,
  ]

  test.each(ADDRESSES)('%j', async (email) => {
    const before = await stateOf(vault.vaultId)
    const ask = (path: string, form: object) => vault.api.post(path, form)
    const answers = [
      await ask('/identifications/create_identify_process', { type: 'kyc', email }),
      await ask(`/kyb/${own.kyb}/form_link`, { email }),
      await attacker.post(`${HOME}/members`, { email, role: 'client_viewer' }),
      await attacker.post(`${HOME}/links`, { type: 'kyc', email }),
      await attacker.post(`${HOME}/identifications/${own.person}/link`, { email }),
    ]
    // Forms trim their values, as browsers do.
    const expected = email.trim() === 'ada@example.com' ? [422, 422] : Array(5).fill(422)
    expect(answers.map(({ status }) => status).slice(0, expected.length)).toEqual(expected)
    if (expected.length === 5) expect(await stateOf(vault.vaultId)).toBe(before)
  })
})

describe('a redirect', () => {
  const origin = new URL(baseUrl).origin
  let email: string
  beforeAll(async () => {
    ;({ email } = await signedIn(gatehouse, 'client', {
      vaults: [{ id: vault.vaultId, roles: ['client_viewer'] }],
    }))
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/console',
    'https:evil.example',
    '/console@evil.example',
    '/console.evil.example',
    '/console/..//evil.example',
    '/console/../../evil',
    '/console\\..\\..\\evil',
    '\t//evil.example',
    '/\t/evil.example',
    '/console\r\nLocation: https://evil.example',
    '/console/\u0000//evil.example',
    'javascript:alert(1)//console',
    'data:text/html,/console',
    `/console/client/${'x'.repeat(20_000)}`,
  ])('after signing in stays in the console: %j', async (next) => {
    const answer = await fetch(`${baseUrl}/console/sign_in?next=${encodeURIComponent(next)}`, {
      method: 'POST',
      body: new URLSearchParams({ email, password: PASSWORD }),
      headers: { Origin: origin },
      redirect: 'manual',
    })
    // The address of a page has a maximum length.
    if (next.length > 10_000) return expect([414, 431]).toContain(answer.status)
    expect(answer.status).toBe(303)
    const target = new URL(answer.headers.get('Location') ?? '', baseUrl)
    expect([target.origin, target.pathname]).toEqual([origin, expect.stringMatching(/^\/console(\/|$)/)])
  })

  test('and a page name no host of the request', async () => {
    const hostile = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'gopher',
      Forwarded: 'host=evil.example',
      'X-Original-URL': '/evil.example',
      'X-Rewrite-URL': '/evil.example',
      'X-HTTP-Method-Override': 'DELETE',
      Referer: 'https://evil.example/',
    }
    for (const path of ['/console', HOME, `${HOME}/members`, `${HOME}/webhooks`]) {
      const plain = await attacker.get(path)
      const answer = await attacker.get(path, hostile)
      expect([answer.status, answer.headers.get('Location')]).toEqual([
        plain.status,
        plain.headers.get('Location'),
      ])
      expect(await answer.text()).not.toContain('evil.example')
    }
  })
})
