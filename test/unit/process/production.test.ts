/** Tests that production refuses unsafe settings, and names each of them with advice. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/process/config.ts'
import { UNSAFE } from '../../../src/process/production.ts'

const key = () => randomBytes(32).toString('base64')
const [K1, K2, HASH_KEY] = [key(), key(), key()]
const SAFE = {
  ENVIRONMENT: 'production',
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://onboarding.gatehouse.internal',
  DATABASE_URL: 'postgresql://gatehouse:7b1c9be0f0f3a1d2@db:5432/gatehouse',
  ENCRYPTION_KEYS: `k2:${K2}, k1:${K1}`,
  HASH_KEY,
  BLOB_URL: 'file:///var/lib/gatehouse',
  OIDC_ISSUER: 'https://login.gatehouse.internal',
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_CLIENT_SECRET: 'of-gatehouse',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
}

const linesOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

const bytes = (make: (index: number) => number) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => make(index))).toString('base64')
const ZEROS = bytes(() => 0)

const REFUSED: readonly (readonly [setting: keyof typeof SAFE | string, value: string | undefined])[] = [
  ['PUBLIC_URL', ''],
  ['PUBLIC_URL', 'http://onboarding.gatehouse.internal'],
  ['PUBLIC_URL', 'https://localhost:3000'],
  ['PUBLIC_URL', 'https://127.0.0.1'],
  ['PUBLIC_URL', 'https://[::1]'],
  ['PUBLIC_URL', 'https://onboarding.example.com'],
  ['DATABASE_URL', 'postgresql://gatehouse:gatehouse@db/gatehouse'],
  ['DATABASE_URL', 'postgresql://me:me@db/gatehouse'],
  ['MIGRATION_DATABASE_URL', 'postgresql://me:me@db/gatehouse'],
  ['DATABASE_URL', 'postgresql://gatehouse:@db/gatehouse'],
  ['DATABASE_URL', 'postgresql://gatehouse:Password@db/gatehouse'],
  ['DATABASE_URL', 'postgresql://gatehouse:%3Cpassword%3E@db/gatehouse'],
  ['ENCRYPTION_KEYS', `k1:${ZEROS}`],
  ['ENCRYPTION_KEYS', `k1:${K1},k2:${ZEROS}`],
  ['ENCRYPTION_KEYS', `k1:${bytes((index) => index)}`],
  ['ENCRYPTION_KEYS', `k1:${bytes((index) => index % 8)}`],
  ['ENCRYPTION_KEYS', `k1:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`],
  ['ENCRYPTION_KEYS', `k1:${Buffer.from('correct horse battery staple, yes').toString('base64')}`],
  ['ENCRYPTION_KEYS', 'k1:short'],
  ['ENCRYPTION_KEYS', K1],
  ['ENCRYPTION_KEYS', `k1:${K1},k1:${K2}`],
  ['ENCRYPTION_KEYS', `k1:${K1},`],
  ['HASH_KEY', ZEROS],
  ['HASH_KEY', 'changeme'],
  ['HASH_KEY', K1],
  ['WEBHOOK_ALLOW_PRIVATE', 'true'],
  ['VERIFICATION_PROVIDER', 'sandbox'],
  ['VERIFICATION_PROVIDER_URL', 'http://provider.example.com/checks'],
  ['VERIFICATION_PROVIDER_URL', 'http://10.0.0.7/checks'],
  ['VERIFICATION_PROVIDER_URL', 'http://127.evil.com/checks'],
  ['VERIFICATION_PROVIDER_SECRET', 'Gatehouse-2026-secret'],
  ['VERIFICATION_PROVIDER_SECRET', '00000000000000000000000000000000'],
  ['OIDC_ISSUER', 'http://login.gatehouse.internal'],
  ['SCIM_TOKEN', 'Gatehouse-2026-token'],
  ['SCIM_TOKEN', '00000000000000000000000000000000'],
  ['SCREENING', 'local'],
  ['BLOB_URL', 's3://files?endpoint=http://s3.example.com'],
  ['BLOB_URL', 'file:///old,s3://files?endpoint=http://s3.example.com'],
  ['YENTE_URL', 'http://yente:8000'],
  ['YENTE_URL', 'http://127.0.0.1:8000'],
  ['RATE_LIMIT_READS', '100001'],
  ['RATE_LIMIT_WRITES', '100001'],
  ['RATE_LIMIT_ANONYMOUS', '1000000'],
]

describe('refusals', () => {
  test.each(REFUSED)('include %s=%s', (setting, value) => {
    const [title, ...lines] = linesOf({ ...SAFE, [setting]: value })
    expect(title).toBe('ENVIRONMENT=production requires safe settings. Correct these:')
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^  ${setting} .{10,}\\.$`))])
  })
  test('apply to an example of every rule', () => {
    const given = REFUSED.map(([setting, value]) => linesOf({ ...SAFE, [setting]: value }).join())
    for (const { setting, advice } of UNSAFE) {
      expect(
        given.some((lines) => lines.includes(`${setting} ${advice}`)),
        `${setting} ${advice}`,
      ).toBe(true)
    }
  })
  test('name all settings at once without quoting a value', () => {
    const everything = { PUBLIC_URL: 'http://localhost', WEBHOOK_ALLOW_PRIVATE: 'true', HASH_KEY: ZEROS }
    const lines = linesOf({ ...SAFE, ...everything, ENCRYPTION_KEYS: `k1:${ZEROS}` })
    const named = lines.slice(1).map((line) => line.trim().split(' ')[0])
    expect(named).toEqual([
      ...['PUBLIC_URL', 'PUBLIC_URL', 'ENCRYPTION_KEYS', 'HASH_KEY', 'HASH_KEY', 'WEBHOOK_ALLOW_PRIVATE'],
    ])
    expect(lines.join()).not.toContain(ZEROS)
  })
})

describe('safe settings', () => {
  test.each([
    {},
    { ENCRYPTION_KEYS: `k1:${K1}` },
    { DATABASE_URL: 'postgresql://gatehouse@db/gatehouse?sslcert=client.pem' },
    { VERIFICATION_PROVIDER: 'manual' },
    { VERIFICATION_PROVIDER_URL: 'https://10.0.0.7/', VERIFICATION_PROVIDER_SECRET: K1 },
    { VERIFICATION_PROVIDER_URL: 'http://provider:4100/' },
    { VERIFICATION_PROVIDER_URL: 'http://127.0.0.1:4100/' },
    { VERIFICATION_PROVIDER_URL: 'http://[::1]:4100/' },
    { WEBHOOK_ALLOW_PRIVATE: 'false' },
    { PUBLIC_URL: undefined, HOST: '127.0.0.1' },
  ])('include %j', (settings) => {
    expect(linesOf({ ...SAFE, ...settings })).toEqual([])
    expect(readConfig({ ...SAFE, ...settings }).VERIFICATION_PROVIDER).toBe('manual')
  })
  test('include every random key', () => {
    for (let n = 0; n < 2_000; n++) expect(linesOf({ ...SAFE, HASH_KEY: key() })).toEqual([])
  })
  test('include the refused ones in the sandbox', () => {
    const sandbox = { ...SAFE, ENVIRONMENT: 'sandbox', PUBLIC_URL: undefined, WEBHOOK_ALLOW_PRIVATE: 'true' }
    expect(linesOf({ ...sandbox, HASH_KEY: ZEROS, ENCRYPTION_KEYS: `k1:${ZEROS}` })).toEqual([])
  })
})

test('keeps secrets out of the files to copy for a deployment', () => {
  for (const file of ['.env.example', 'docker-compose.yml']) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    for (const [, name, value = ''] of text.matchAll(
      /^[ #]*(\w*(?:PASSWORD|PWD|KEY|KEYS|SECRET))[=:] ?(.*)$/gm,
    )) {
      expect(value, `${file}: ${name}`).toMatch(/^$|^\$\{\w+:(\?|-\})/)
    }
  }
})
