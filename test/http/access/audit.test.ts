/** Tests the audit trail: each administrative action creates an entry without secrets or personal data. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, describe, expect, test } from 'vitest'
import { auditLog, webhookAttempts, webhookFailingUrls, webhookLogs } from '../../../drizzle/schema.ts'
import { lowestIdAt } from '../../../src/db/connection/id-time.ts'
import { AUDIT_ACTIONS, type AuditAction, boundChanges } from '../../../src/domain/access/audit.ts'
import { grantsOfNames } from '../../../src/domain/access/grant.ts'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import { requestAction } from '../../../src/use-cases/access/admin-action.ts'
import { formEffect } from '../../../src/use-cases/base/effect.ts'
import type { ApiResponse } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { dumpTables } from '../../support/dump.ts'
import { runCli } from '../../support/erasure.ts'
import { createImported } from '../../support/identification.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { logoPng } from '../../support/logo.ts'
import { confirmSecret } from '../../support/otp.ts'
import { createKey, createPerson, signedIn, signIn } from '../../support/people.ts'

/** The tests of single sign-on and of administrative actions cover these actions. */
const TESTED_ELSEWHERE = [
  'api_key_confirmed',
  'user_groups_changed',
  'user_deactivated',
  'user_reactivated',
  'user_removed',
  'user_changed',
  'directory_group_created',
  'directory_group_changed',
  'directory_group_removed',
  'identity_connected',
  'group_mapped',
  'break_glass_used',
]

const gatehouse = await startInstance()
const { api, db, vaultId, credentials } = gatehouse
const operator = await gatehouse.operator()
const me = (await operator.get('/users?per_page=100')).body.data.find(
  ({ email }: { email: string }) => email === credentials.operator_email,
)
const by = `operator:${me.id}`
afterAll(() => gatehouse.stop())

const reading = () => ({ vaults: [{ id: vaultId, roles: ['api_read'] }] })
const newest = async (query = '') => (await operator.get(`/audit?per_page=1${query}`)).body.data[0]

interface Action {
  readonly does: () => Promise<ApiResponse>
  /** Returns the other fields of the entry. */
  readonly entry: (answer: ApiResponse) => object
  /** Returns texts that the entry must not contain. */
  readonly secrets?: (answer: ApiResponse) => readonly string[]
}

const ofUser = { subject: 'user', vault_id: null, changes: {} }
let personId = ''
let otpSecret = ''
let keyId = ''

const ADMINISTRATOR = { grants: grantsOfNames(['operator_admin']) }

/** Proposes a change as if ADMIN_FOUR_EYES were on, which is off for this instance. */
async function propose(actor = by): Promise<ApiResponse> {
  const action = { kind: 'change_vault', vaultId, changes: { importEnabled: true } } as const
  await gatehouse.db.orm.execute(sql`UPDATE vaults SET import_enabled = false WHERE id = ${vaultId}`)
  const config = { ...gatehouse.config, ADMIN_FOUR_EYES: true }
  const address = (await newest())?.address ?? null
  const requested = await requestAction(
    { config },
    ADMINISTRATOR,
    { actor, address },
    action,
    formEffect(gatehouse),
  )
  return { status: 202, headers: new Headers(), body: { data: requested.proposal } }
}

/** The order matters, because actions use the results of earlier ones. */
const ACTIONS: [AuditAction, Action][] = [
  [
    'vault_created',
    {
      does: () => operator.post('/vaults', { name: 'Engines', support_email: 'ada@support.example' }),
      entry: ({ body: { data } }) => ({
        subject: 'vault',
        subject_id: data.id,
        vault_id: data.id,
        changes: expect.objectContaining({ name: { from: null, to: 'Engines' }, support_email: {} }),
      }),
      secrets: () => ['ada@support.example'],
    },
  ],
  [
    'vault_changed',
    {
      does: async () =>
        operator.patch(`/vaults/${vaultId}`, {
          trading_fee: 0.25,
          review_target_hours: 48,
          logo: (await logoPng()).toString('base64'),
        }),
      entry: () => ({
        subject: 'vault',
        vault_id: vaultId,
        changes: {
          review_target_hours: { from: 24, to: 48 },
          trading_fee: { from: 0, to: 0.25 },
          logo: {},
        },
      }),
    },
  ],
  [
    'profile_drafted',
    {
      does: () => {
        const part = { rows: [] }
        const document = { company: part, beneficiary: part, person: part }
        return operator.put(`/vaults/${vaultId}/profile/draft`, { document })
      },
      entry: () => ({ subject: 'vault', vault_id: vaultId, changes: { version: { to: 1 } } }),
    },
  ],
  [
    'profile_published',
    {
      does: () => operator.post(`/vaults/${vaultId}/profile/draft/publish`, {}),
      entry: () => ({ subject: 'vault', vault_id: vaultId, changes: { version: { to: 1 } } }),
    },
  ],
  [
    'api_key_created',
    {
      does: () => operator.post(`/vaults/${vaultId}/api_keys`, { roles: ['api_read'], name: 'Ada’s own' }),
      entry: ({ body: { data } }) => {
        keyId = data.id
        return {
          subject: 'api_key',
          subject_id: data.id,
          vault_id: vaultId,
          changes: { prefix: { from: null, to: data.prefix }, roles: { from: null, to: ['api_read'] } },
        }
      },
      secrets: ({ body }) => [body.data.key, 'Ada’s own'],
    },
  ],
  [
    'event_published',
    {
      does: () => {
        const attributes = { subject: 'plantedsubject' }
        const event = { topic: 'ticket', event: 'ticket_created', attributes }
        return operator.post('/events', { ...event, vault_id: vaultId })
      },
      entry: () => ({
        subject: 'vault',
        subject_id: vaultId,
        vault_id: vaultId,
        changes: { topic: { to: 'ticket' }, event: { to: 'ticket_created' } },
      }),
      secrets: () => ['plantedsubject'],
    },
  ],
  [
    'api_key_revoked',
    {
      does: () => operator.delete(`/api_keys/${keyId}`),
      entry: () => ({ subject: 'api_key', subject_id: keyId, vault_id: vaultId }),
    },
  ],
  [
    'user_created',
    {
      does: () => operator.post('/users', { email: 'person@audited.example', ...reading() }),
      entry: ({ body: { data } }) => {
        personId = data.id
        const changes = {
          vaults: { from: null, to: reading().vaults },
          operator_grants: { from: null, to: [] },
        }
        return { ...ofUser, subject_id: data.id, changes }
      },
      secrets: ({ body }) => [body.data.one_time_password, 'person@audited.example'],
    },
  ],
  [
    'user_roles_changed',
    {
      does: () => operator.patch(`/users/${personId}`, { operator_roles: ['operator_review'] }),
      entry: () => ({
        ...ofUser,
        changes: { operator_grants: { from: [], to: [{ role: 'senior_reviewer', vault_id: null }] } },
      }),
    },
  ],
  [
    'password_reset',
    {
      does: () => operator.post(`/users/${personId}/reset_password`),
      entry: () => ofUser,
      secrets: ({ body }) => [body.data.one_time_password],
    },
  ],
  ['tokens_revoked', { does: () => operator.post(`/users/${personId}/revoke_tokens`), entry: () => ofUser }],
  [
    'otp_enrolled',
    {
      does: () => operator.post('/users/otp', { current_password: credentials.operator_password }),
      entry: () => ({ ...ofUser, subject_id: me.id }),
      secrets: ({ body }) => {
        otpSecret = body.data.secret
        return [otpSecret]
      },
    },
  ],
  [
    'otp_confirmed',
    {
      does: () => confirmSecret(operator, otpSecret),
      entry: () => ({ ...ofUser, subject_id: me.id }),
    },
  ],
  ['otp_removed', { does: () => operator.delete(`/users/${me.id}/otp`), entry: () => ofUser }],
  [
    'admin_action_proposed',
    {
      does: () => propose(),
      entry: () => ({
        subject: 'vault',
        subject_id: vaultId,
        vault_id: vaultId,
        changes: { action: { to: 'change_vault' } },
      }),
    },
  ],
  [
    'admin_action_withdrawn',
    {
      does: async () => operator.post(`/admin_actions/${(await propose()).body.data.id}/withdraw`),
      entry: () => ({ subject: 'vault', subject_id: vaultId, vault_id: vaultId }),
    },
  ],
  [
    'admin_action_confirmed',
    {
      does: async () => {
        const { id } = (await propose('operator:another')).body.data
        return operator.post(`/admin_actions/${id}/confirm`)
      },
      entry: () => ({ subject: 'vault', subject_id: vaultId, vault_id: vaultId }),
    },
  ],
  [
    'case_read',
    {
      does: async () => operator.get(`/kyb/${await api.createKyb()}`),
      entry: ({ body: { data } }) => ({ subject: 'kyb', subject_id: data.id, vault_id: vaultId }),
    },
  ],
  [
    'case_names_read',
    {
      does: () => operator.get('/kyb'),
      entry: ({ body: { data } }) => ({
        subject: 'vault',
        subject_id: vaultId,
        vault_id: vaultId,
        count: data.length,
      }),
    },
  ],
  [
    'report_exported',
    {
      does: () => operator.get('/figures/reasons'),
      entry: () => ({ subject: 'vault', vault_id: null, changes: { report: { to: 'reasons' } } }),
    },
  ],
  [
    'operator_signed_in',
    {
      does: () =>
        signIn(gatehouse, 'operator', {
          email: credentials.operator_email,
          password: credentials.operator_password,
        }),
      entry: () => ({ ...ofUser, subject_id: me.id }),
      secrets: ({ body }) => [body.data.access_token, credentials.operator_password],
    },
  ],
]

describe('the audit trail', () => {
  test.each(ACTIONS)('records %s', async (action, { does, entry, secrets }) => {
    const answer = await does()
    expect(answer.status).toBeLessThan(300)
    const expected = { action, actor: by, address: '127.0.0.1', count: 1, ...entry(answer) }
    expect(await newest()).toMatchObject(expected)
    for (const secret of secrets?.(answer) ?? [])
      expect(JSON.stringify(await db.orm.select().from(auditLog))).not.toContain(secret)
  })

  test('records webhook_urls_changed and webhook_secret_rotated for changes by the client', async () => {
    const urls = { account: ['https://a.example/hook?token=hidden'], ticket: [] }
    for (const _ of ['once', 'again with nothing new'])
      expect((await api.put('/users/update_webhook', { webhook_url: urls })).status).toBe(200)
    const about = { actor: expect.stringMatching(/^api_key:/), vault_id: vaultId, subject: 'vault' }
    const { data, pagination } = (await operator.get('/audit?action=webhook_urls_changed')).body
    expect(pagination.total_count).toBe(1)
    expect(data[0]).toMatchObject({
      ...about,
      changes: { account: { from: null, to: ['https://a.example/hook'] }, ticket: { from: null, to: [] } },
    })
    const { body } = await api.post('/users/rotate_webhook_secret', { overlap_hours: 3 })
    const entry = await newest()
    expect(entry).toMatchObject({
      ...about,
      action: 'webhook_secret_rotated',
      changes: { overlap_hours: { to: 3 } },
    })
    expect(JSON.stringify(entry)).not.toContain(body.data.webhook_secret)
  })

  test('records webhook_url_options_changed with the names of headers only, once for equal changes', async () => {
    const { data: urls } = (await api.get('/webhook_urls')).body
    const options = { name: 'Cases', headers: { 'X-Token': 'hidden-value' } }
    for (const _ of ['once', 'again with nothing new'])
      expect((await api.patch(`/webhook_urls/${urls[0].id}`, options)).status).toBe(200)
    const { data, pagination } = (await operator.get('/audit?action=webhook_url_options_changed')).body
    expect(pagination.total_count).toBe(1)
    expect(data[0]).toMatchObject({
      vault_id: vaultId,
      changes: {
        url: { to: 'https://a.example/hook' },
        name: { from: null, to: 'Cases' },
        header_names: { from: [], to: ['X-Token'] },
        headers: { to: ['X-Token'] },
      },
    })
    expect(JSON.stringify(await db.orm.select().from(auditLog))).not.toContain('hidden-value')
  })

  test('records password_changed with the user as the actor', async () => {
    const person = await signedIn(gatehouse, 'client', reading())
    expect(await newest('&action=password_changed')).toMatchObject({
      actor: `user:${person.id}`,
      subject_id: person.id,
      changes: {},
    })
  })

  test('counts sign_in_failed per account and hour, and all unknown accounts together', async () => {
    const person = await createPerson(gatehouse, reading())
    const attempt = (email: string) => signIn(gatehouse, 'client', { email, password: 'guessed' })
    for (const email of [person.email, person.email, 'a@nowhere.example', 'b@nowhere.example'])
      expect((await attempt(email)).status).toBe(401)
    // If the hour changes during the test, there are two entries.
    const { data } = (await operator.get('/audit?action=sign_in_failed&actor=nobody')).body
    const sum = (subjectId: string | null) =>
      data
        .filter(({ subject_id }: { subject_id: string | null }) => subject_id === subjectId)
        .reduce((total: number, { count }: { count: number }) => total + count, 0)
    expect([sum(person.id), sum(null)]).toEqual([2, 2])
    expect(data.length).toBeLessThanOrEqual(4)
  })

  test('records command-line actions without an address', async () => {
    const email = 'first@audited.example'
    const held = await createImported(api)
    const runs = await Promise.all([
      runCli(gatehouse, 'create-vault', '--name', 'By hand'),
      runCli(gatehouse, 'create-operator', '--email', email),
      runCli(gatehouse, 'rotate-signing-key'),
      runCli(gatehouse, 'legal-hold', '--identification', held, '--on'),
    ])
    const lifted = await runCli(gatehouse, 'legal-hold', '--identification', held, '--off')
    expect(lifted.code, lifted.output).toBe(0)
    for (const { code, output } of runs) expect(code, output).toBe(0)
    const { data } = (await operator.get('/audit?actor=cli')).body
    const recorded = data.map(({ action, address }: { action: string; address: null }) => [action, address])
    expect(recorded.sort()).toEqual([
      ['legal_hold_lifted', null],
      ['legal_hold_set', null],
      ['signing_key_rotated', null],
      ['user_created', null],
      ['vault_created', null],
    ])
    expect(data[0]).toMatchObject({ subject: 'identification', subject_id: held, vault_id: vaultId })
    const kept = JSON.stringify(data)
    expect(kept).not.toContain(runs[1]?.output.trim())
    expect(kept).not.toContain('audited.example')
    expect(kept).toContain('By hand')
  })

  test('contains every audit action at the end of these tests', async () => {
    const rows = await db.orm.select({ action: auditLog.action }).from(auditLog)
    const found = new Set<string>([...rows.map(({ action }) => action), ...TESTED_ELSEWHERE])
    expect([...found].sort()).toEqual([...AUDIT_ACTIONS].sort())
  })
})

test('records nothing if the action is refused, fails or changes nothing', async () => {
  const before = await db.orm.$count(auditLog)
  const taken = await operator.post('/users', { email: credentials.operator_email, ...reading() })
  expectErrors(taken, { code: 'email_taken', field: 'email' })
  expect(
    (await operator.patch(`/vaults/${vaultId}`, { default_language: 'en', languages: ['de'] })).status,
  ).toBe(422)
  expect((await operator.delete(`/api_keys/${keyId}`)).status).toBe(200)
  expect(await db.orm.$count(auditLog)).toBe(before)
})

test('encrypts the stored addresses', async () => {
  expect(JSON.stringify(await dumpTables(db))).not.toContain('127.0.0.1')
})

describe('GET /audit', () => {
  test('requires the role operator_admin', async () => {
    const reviewer = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const refused = await reviewer.api.get('/audit')
    expect(refused.status).toBe(403)
  })
  test('filters by vault, actor and time, and lists the newest first in pages', async () => {
    const { vaultId: second } = await addVault(gatehouse)
    await createKey(gatehouse, { roles: ['api_read'] }, second)
    await operator.patch(`/vaults/${second}`, { name: 'Another' })
    const { data, pagination } = (await operator.get(`/audit?vault_id=${second}&per_page=1`)).body
    expect([data[0].action, pagination.total_count]).toEqual(['vault_changed', 2])
    const older = (await operator.get(`/audit?vault_id=${second}&actor=${by}&per_page=1&page=2`)).body.data
    expect(older[0].action).toBe('api_key_created')
    const { at } = data[0]
    const between = async (from: number, to: number) =>
      (await operator.get(`/audit?vault_id=${second}&from=${from}&to=${to}`)).body.pagination.total_count
    expect(await between(at - 60, at + 1)).toBe(2)
    // The ID of an entry may date from the second before `createdAt`.
    const createdAt = new Date((at - 3_600) * 1_000)
    const id = lowestIdAt(new Date(createdAt.getTime() - 20)).slice(0, 14) + newId().slice(14)
    const entry = { id, action: 'vault_changed', actor: 'cli', vaultId: second, subject: 'vault' } as const
    await db.orm.insert(auditLog).values({ ...entry, createdAt })
    expect(await between(at - 3_600, at - 3_600)).toBe(1)
    expect(await between(at - 3_601, at - 3_601)).toBe(0)
    expect(await between(at + 60, at + 120)).toBe(0)
  })
  test.each([
    ['from=2&to=1', 422, 'to'],
    ['action=nothing', 422, 'action'],
    ['vault_id=nothing', 400, 'vault_id'],
  ])('refuses ?%s', async (query, status, field) => {
    const answer = await operator.get(`/audit?${query}`)
    expect([answer.status, answer.body.errors[0].field]).toEqual([status, field])
  })
})

describe('GET /vaults', () => {
  test('returns lists and single vaults with settings, API keys without secrets, and webhooks', async () => {
    const { key, id } = await createKey(gatehouse, { roles: ['api_read'], name: 'Shown' })
    const { body } = await operator.get(`/vaults/${vaultId}`)
    expect(body.data).toMatchObject({ id: vaultId, import_enabled: true, languages: ['en', 'de'] })
    expect(body.data.api_keys[0]).toMatchObject({ id, name: 'Shown' })
    expect(JSON.stringify(body)).not.toContain(key)
    const list = (await operator.get('/vaults?per_page=1')).body
    expect([list.data.length, list.pagination.total_count > 1]).toEqual([1, true])
    expect((await operator.get(`/vaults/${unique()}`)).status).toBe(404)
  })

  test('shows the results of webhook attempts per topic and URL', async () => {
    const { vaultId: busy } = await addVault(gatehouse)
    const [good, bad, slow] = ['good', 'bad', 'slow'].map((name) => `https://${name}.example/`)
    await db.orm.execute(sql`UPDATE webhook_settings
      SET url_list = ${JSON.stringify({ account: [good, bad], ticket: [slow] })}::jsonb WHERE vault_id = ${busy}`)
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const log = async (
      hours: number,
      status: 'partial' | 'pending',
      topic: 'account' | 'ticket',
      urls: string[],
    ) => {
      const id = lowestIdAt(ago(hours)).slice(0, 14) + newId().slice(14)
      const row = {
        id,
        vaultId: busy,
        topic,
        status,
        payload: '{}',
        urlsDestiny: urls,
        createdAt: ago(hours),
      }
      await db.orm.insert(webhookLogs).values(row)
      return id
    }
    const attempt = (webhookLogId: string, hours: number, url: string, error: string | null) =>
      db.orm.insert(webhookAttempts).values({
        ...{ webhookLogId, round: 1, number: 1, url, error, durationMs: 1, createdAt: ago(hours) },
      })
    for (const hours of [30, 3, 2]) {
      const id = await log(hours, 'partial', 'account', [good as string, bad as string])
      await attempt(id, hours, good as string, null)
      await attempt(id, hours, bad as string, hours === 30 ? null : 'status_500')
    }
    await db.orm
      .insert(webhookFailingUrls)
      .values({ vaultId: busy, topic: 'account', url: bad as string, failingSince: ago(3) })
    await log(5, 'pending', 'ticket', [slow as string])
    await log(1, 'pending', 'ticket', [slow as string])
    const { webhooks } = (await operator.get(`/vaults/${busy}`)).body.data
    const near = (hours: number) => expect.closeTo(ago(hours).getTime() / 1_000, -3)
    const idle = { failing_since: null, oldest_pending_at: null }
    expect(webhooks).toEqual([
      { topic: 'account', url: bad, attempts_24h: 2, accepted_24h: 0, ...idle, failing_since: near(3) },
      { topic: 'account', url: good, attempts_24h: 2, accepted_24h: 2, ...idle },
      { topic: 'ticket', url: slow, attempts_24h: 0, accepted_24h: 0, ...idle, oldest_pending_at: near(5) },
    ])
  })
})

describe('the size of an entry', () => {
  const urls = (topic: string) =>
    Array.from(
      { length: 10 },
      (_, n) => `https://${topic.replaceAll('_', '-')}${n}.example/${'x'.repeat(1_900)}`,
    )

  test('is at most 4 kB for any client input', async () => {
    const webhook_url = Object.fromEntries(TOPICS.map((topic) => [topic, urls(topic)]))
    expect((await api.put('/users/update_webhook', { webhook_url })).status).toBe(200)
    const [row] = await db.orm.execute<{ bytes: number }>(
      sql`SELECT octet_length(audit_log::text) AS bytes FROM audit_log ORDER BY id DESC LIMIT 1`,
    )
    expect(row?.bytes).toBeLessThan(4_096)
    const { changes } = await newest('&action=webhook_urls_changed')
    const to = {
      count: 10,
      sha256: createHash('sha256')
        .update(JSON.stringify(urls('ticket')))
        .digest('hex'),
    }
    expect(changes.ticket.to).toEqual(to)
    const cleared = Object.fromEntries(TOPICS.map((topic) => [topic, []]))
    expect((await api.put('/users/update_webhook', { webhook_url: cleared })).status).toBe(200)
  })

  test('is limited by a hash on reading if the stored entry exceeds the limit', async () => {
    const id = newId()
    const changes = { ticket: { to: urls('ticket') } }
    await db.orm
      .insert(auditLog)
      .values({ id, action: 'webhook_urls_changed', actor: 'cli', subject: 'vault', changes })
    expect((await newest()).changes).toEqual({
      all: { to: { count: 1, sha256: expect.stringMatching(/^\w{64}$/) } },
    })
  })

  test('is limited by one hash if many fields changed', () => {
    const names = Array.from({ length: 300 }, (_, n) => [`name_${n}`, { from: n, to: n + 1 }])
    expect(boundChanges(Object.fromEntries(names), () => 'hash')).toEqual({
      all: { to: { count: 300, sha256: 'hash' } },
    })
  })
})
