/** Tests the environment of a process: defaults, and errors that name the variable. */
import { describe, expect, test } from 'vitest'
import { INVENTED_LIST, readConfig } from '../../../src/process/config.ts'

const USABLE = {
  DATABASE_URL: 'postgresql://localhost/gatehouse',
  ENCRYPTION_KEYS: 'k1:secret-key',
  HASH_KEY: 'secret-hash',
  BLOB_URL: 'file:///var/lib/gatehouse',
}

const messageOf = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

test('requires only four variables and uses the documented defaults for the others', () => {
  expect(readConfig(USABLE)).toEqual({
    ...USABLE,
    ENVIRONMENT: 'sandbox',
    HOST: '127.0.0.1',
    PORT: 3000,
    PUBLIC_URL: 'http://localhost:3000',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS: false,
    VERIFICATION_PROVIDER: 'sandbox',
    VERIFICATION_ANSWER_HOURS: 24,
    RATE_LIMIT_VERIFICATION_CHECKS: 10,
    RATE_LIMIT_VAULT_CHECKS: 10_000,
    RATE_LIMIT_ADDRESS_EMAILS: 10,
    RATE_LIMIT_VAULT_EMAILS: 2_000,
    SCREENING: 'local',
    SCREENING_LIST_DIR: INVENTED_LIST,
    SCREENING_THRESHOLD: 0.7,
    YENTE_DATASET: 'default',
    SANDBOX_CHECK_DELAY_MS: 500,
    ADMIN_FOUR_EYES: false,
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_SESSION_HOURS: 12,
    OPERATOR_PASSWORDS: 'on',
    WEBHOOK_ALLOW_PRIVATE: false,
    TRUST_PROXY: 0,
    RATE_LIMIT_READS: 600,
    RATE_LIMIT_WRITES: 300,
    RATE_LIMIT_ANONYMOUS: 1_200,
    RATE_LIMIT_SETTINGS: 300,
    RATE_LIMIT_CASE_READS: 600,
    RATE_LIMIT_SESSION_SAVES: 120,
    RATE_LIMIT_VERIFICATION_SAVES: 5_000,
    RATE_LIMIT_SESSION_UPLOADS: 30,
    RATE_LIMIT_VERIFICATION_UPLOADS: 500,
    QUOTA_VAULT_FILES: 200_000,
    QUOTA_VAULT_BYTES: 100_000_000_000,
    TOKEN_ROTATION_DAYS: 30,
    WEBHOOK_LOG_RETENTION_DAYS: 90,
    METRICS_HOST: '127.0.0.1',
    RETENTION_YEARS: 5,
    UNFINISHED_RETENTION_DAYS: 180,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_SDK_DISABLED: false,
  })
})

describe('readConfig', () => {
  test.each(Object.keys(USABLE))('names the missing variable %s', (name) => {
    expect(messageOf({ ...USABLE, [name]: undefined })).toContain(`\n  ${name}: This setting is required.`)
  })
  test.each([
    ['ENVIRONMENT', 'staging'],
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PUBLIC_URL', 'example'],
    ['PUBLIC_URL', 'localhost:3000'],
    ['PUBLIC_URL', 'ftp://kyb.example.com'],
    ['PUBLIC_URL', 'https://example.com/gatehouse'],
    ['PUBLIC_URL', 'https://example.com/?x=1'],
    ['PUBLIC_URL', 'https://example.com/#y'],
    ['PUBLIC_URL', 'https://me@example.com'],
    ['DATABASE_URL', 'mysql://localhost/gatehouse'],
    ['DATABASE_URL', 'gatehouse'],
    ['DATABASE_URL', 'postgresql://ada:100%@localhost/gatehouse'],
    ['ENCRYPTION_KEYS', ''],
    ['HASH_KEY', ''],
    ['BLOB_URL', ''],
    ['BLOB_URL', ' '],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['WEBHOOK_ALLOW_PRIVATE', '1'],
    ['VERIFICATION_PROVIDER', 'somebody'],
    ['VERIFICATION_PROVIDER_URL', 'ftp://provider.example.com'],
    ['VERIFICATION_PROVIDER_URL', 'https://me:secret@provider.example.com'],
    ['VERIFICATION_PROVIDER_URL', 'https:me:secret@provider.example.com'],
    ['VERIFICATION_PROVIDER_SECRET', 'short'],
    ['VERIFICATION_ANSWER_HOURS', '0'],
    ['SANDBOX_CHECK_DELAY_MS', '-1'],
    ['SCREENING', 'on'],
    ['SCREENING_THRESHOLD', '0.2'],
    ['YENTE_URL', 'yente:8000'],
    ['OIDC_ISSUER', 'login.example.org'],
    ['OIDC_ISSUER', 'https://login.example.org/?tenant=1'],
    ['OIDC_ISSUER', 'https://me:secret@login.example.org'],
    ['OIDC_CLIENT_ID', 'gatehouse'],
    ['OIDC_CLIENT_SECRET', 'of-gatehouse'],
    ['OIDC_SESSION_HOURS', '0'],
    ['OIDC_SESSION_HOURS', '25'],
    ['OPERATOR_PASSWORDS', 'none'],
    ['OPERATOR_PASSWORDS', 'off'],
    ['SCIM_TOKEN', 'short'],
    ['SCIM_TOKEN', 'long-enough-but-without-a-provider'],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233'],
    ['TEMPORAL_ADDRESS', 'temporal:grpc'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'proxy.example.com'],
    ['RATE_LIMIT_READS', '0'],
    ['RATE_LIMIT_WRITES', 'many'],
    ['RATE_LIMIT_ANONYMOUS', '-1'],
    ['TOKEN_ROTATION_DAYS', '0'],
    ['HEALTH_PORT', '70000'],
    ['METRICS_PORT', '70000'],
    ['RETENTION_YEARS', '-1'],
    ['RETENTION_YEARS', 'five'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s and names the variable', (name, value) => {
    expect(messageOf({ ...USABLE, [name]: value })).toMatch(new RegExp(`^  ${name}: `, 'm'))
  })
  test('names every invalid variable at once, without quoting a secret', () => {
    const message = messageOf({ ...USABLE, PORT: 'x', LOG_LEVEL: 'loud', BLOB_URL: undefined })
    for (const name of ['PORT', 'LOG_LEVEL', 'BLOB_URL']) expect(message).toContain(name)
    expect(message).not.toContain('secret')
  })
  test('requires an address and a secret for a provider over HTTP', () => {
    const message = messageOf({ ...USABLE, VERIFICATION_PROVIDER: 'http' })
    for (const name of ['VERIFICATION_PROVIDER_URL', 'VERIFICATION_PROVIDER_SECRET'])
      expect(message).toMatch(new RegExp(`^  ${name}: `, 'm'))
  })
  test('requires the client’s ID and secret if there is an OIDC_ISSUER', () => {
    const issuer = { ...USABLE, OIDC_ISSUER: 'https://login.example.org' }
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
      expect(messageOf(issuer)).toMatch(new RegExp(`^  ${name}: `, 'm'))
    const client = { OIDC_CLIENT_ID: 'gatehouse', OIDC_CLIENT_SECRET: 'of-gatehouse' }
    expect(messageOf({ ...issuer, ...client, OPERATOR_PASSWORDS: 'off' })).toBe('accepted')
  })
  test('requires credentials for a bucket, and does not repeat them in errors', () => {
    const bucket = { ...USABLE, BLOB_URL: 'file:///old,s3://files' }
    expect(messageOf(bucket)).toMatch(/^ {2}AWS_ACCESS_KEY_ID: .*\n {2}AWS_SECRET_ACCESS_KEY: /m)
    const credentials = { AWS_ACCESS_KEY_ID: 'the-key', AWS_SECRET_ACCESS_KEY: 'the-secret' }
    expect(messageOf({ ...bucket, ...credentials })).toBe('accepted')
    const inUrl = messageOf({ ...bucket, ...credentials, BLOB_URL: 's3://the-key:the-secret@files' })
    expect(inUrl).toContain('  BLOB_URL: Remove the credentials from the URL.')
    expect(inUrl).not.toContain('the-secret')
  })
  test('requires both parts of the version of a worker', () => {
    const named = { ...USABLE, TEMPORAL_DEPLOYMENT_NAME: 'gatehouse' }
    expect(messageOf(named)).toMatch(/^ {2}TEMPORAL_WORKER_BUILD_ID: Set both/m)
    expect(messageOf({ ...named, TEMPORAL_WORKER_BUILD_ID: '1.0.0' })).toBe('accepted')
  })
  test('requires an address for yente', () => {
    expect(messageOf({ ...USABLE, SCREENING: 'yente' })).toMatch(/^ {2}YENTE_URL: /m)
    expect(messageOf({ ...USABLE, SCREENING: 'yente', YENTE_URL: 'http://yente:8000' })).toBe('accepted')
  })
  test('uses the configured verification provider instead of the default for the environment', () => {
    expect(readConfig({ ...USABLE, VERIFICATION_PROVIDER: 'manual' }).VERIFICATION_PROVIDER).toBe('manual')
  })
})

describe('PUBLIC_URL', () => {
  test.each([
    [{ PUBLIC_URL: 'https://kyb.example.com/' }, 'https://kyb.example.com'],
    [{ PUBLIC_URL: 'HTTPS://KYB.example.com' }, 'https://kyb.example.com'],
    [{ PUBLIC_URL: 'http://localhost:3000' }, 'http://localhost:3000'],
    [{ PORT: '8080' }, 'http://localhost:8080'],
    [{ PUBLIC_URL: ' ', PORT: '\t' }, 'http://localhost:3000'],
  ])('is read from %j as %s, to which paths can be appended', (env, url) => {
    expect(readConfig({ ...USABLE, ...env }).PUBLIC_URL).toBe(url)
  })
})

test.each(['temporal:7233', '[::1]:7233', '10.0.0.7:7233', 'temporal'])(
  'accepts the Temporal address %s',
  (at) => {
    expect(readConfig({ ...USABLE, TEMPORAL_ADDRESS: at }).TEMPORAL_ADDRESS).toBe(at)
  },
)

test('uses the default retention if RETENTION_YEARS is blank', () => {
  expect(readConfig({ ...USABLE, RETENTION_YEARS: ' ' }).RETENTION_YEARS).toBe(5)
})

test.each([
  ['0', 0],
  ['2', 2],
  ['10.0.0.5', ['10.0.0.5']],
  ['10.0.0.0/8, loopback', ['10.0.0.0/8', 'loopback']],
  ['2001:db8::/32', ['2001:db8::/32']],
])('reads TRUST_PROXY=%s as Express does', (value, taken) => {
  expect(readConfig({ ...USABLE, TRUST_PROXY: value }).TRUST_PROXY).toEqual(taken)
})
