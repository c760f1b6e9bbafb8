/** Reads and validates the settings of a process from its environment. */
import { fileURLToPath } from 'node:url'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { parseBlobUrls } from './blob-url.ts'
import { unsafeSettings } from './production.ts'
import { readPem, SettingsError } from './settings-error.ts'

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')

const limit = (preset: number) => z.coerce.number().int().min(1).max(100_000_000).default(preset)

const NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** Refuses `true`, which would trust a forwarding header from any sender. */
const trustProxy = z
  .string()
  .default('0')
  .transform((value) =>
    /^\d{1,2}$/.test(value) ? Number(value) : value.split(',').map((each) => each.trim()),
  )
  .refine(
    (value) =>
      typeof value === 'number' ||
      value.every((each) => NETWORKS.has(each) || ipaddr.isValid(each) || ipaddr.isValidCIDR(each)),
    'Set the number of proxies or their addresses, such as 1, 10.0.0.5 or 10.0.0.0/8,loopback.',
  )

function isWellEncoded(url: string): boolean {
  try {
    return decodeURIComponent(url) !== ''
  } catch {
    return false
  }
}

const partsOf = (text: string): Partial<URL> => (URL.canParse(text) ? new URL(text) : {})

const HTTP = { protocol: /^https?$/ }

/** The URL must not have a path, because pages link to each other by absolute paths. */
const publicUrl = z
  .url(HTTP)
  .refine((text) => {
    const { username, password, pathname, search, hash } = partsOf(text)
    return pathname === '/' && [username, password, search, hash].every((part) => part === '')
  }, 'Set https:// and the host, without a path, query, fragment or user.')
  .transform((text) => new URL(text).origin)

/** The sample list for the sandbox, whose entries are all fictional. */
export const INVENTED_LIST = fileURLToPath(new URL('../screening/invented-list', import.meta.url))

const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/ })
  .refine(isWellEncoded, 'Write % in a user, password or database name as %25.')

/** Validates the URLs but keeps them as text, so that processes and commands can pass them on. */
const blobUrls = z.string().superRefine((text, context) => {
  try {
    parseBlobUrls(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/** The port is optional. The default is Temporal's default port, 7233. */
const temporalAddress = z
  .string()
  .regex(
    /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(:\d{1,5})?$/i,
    'Set host:port, without http:// and without a path.',
  )

/** docs/settings.md explains each setting. */
const settings = z.object({
  ENVIRONMENT: z.enum(['sandbox', 'production']).default('sandbox'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: databaseUrl,
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  TEMPORAL_ADDRESS: temporalAddress.default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TLS: flag,
  TEMPORAL_TLS_CA_FILE: z.string().optional(),
  TEMPORAL_TLS_CERT_FILE: z.string().optional(),
  TEMPORAL_TLS_KEY_FILE: z.string().optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_DEPLOYMENT_NAME: z.string().min(1).optional(),
  TEMPORAL_WORKER_BUILD_ID: z.string().min(1).optional(),
  TEMPORAL_UI_URL: z
    .url(HTTP)
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  ENCRYPTION_KEYS: z.string().min(1),
  HASH_KEY: z.string().min(1),
  BLOB_URL: blobUrls,
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  TRUST_PROXY: trustProxy,
  RATE_LIMIT_READS: limit(600),
  RATE_LIMIT_WRITES: limit(300),
  RATE_LIMIT_ANONYMOUS: limit(1_200),
  RATE_LIMIT_SETTINGS: limit(300),
  RATE_LIMIT_CASE_READS: limit(600),
  RATE_LIMIT_SESSION_SAVES: limit(120),
  RATE_LIMIT_VERIFICATION_SAVES: limit(5_000),
  RATE_LIMIT_SESSION_UPLOADS: limit(30),
  RATE_LIMIT_VERIFICATION_UPLOADS: limit(500),
  RATE_LIMIT_VERIFICATION_CHECKS: limit(10),
  RATE_LIMIT_VAULT_CHECKS: limit(10_000),
  QUOTA_VAULT_FILES: z.coerce.number().int().min(1).default(200_000),
  QUOTA_VAULT_BYTES: z.coerce.number().int().min(1).default(100_000_000_000),
  TOKEN_ROTATION_DAYS: z.coerce.number().int().min(1).max(365).default(30),
  OIDC_ISSUER: z
    .url(HTTP)
    .refine((text) => {
      const { username, password, search, hash } = partsOf(text)
      return [username, password, search, hash].every((part) => part === '')
    }, 'Set the issuer exactly as the provider states it, without a query, fragment or user.')
    .optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_ROLE_CLAIM: z.string().min(1).default('groups'),
  OIDC_SESSION_HOURS: z.coerce.number().positive().max(24).default(12),
  OPERATOR_PASSWORDS: z.enum(['on', 'off']).default('on'),
  SCIM_TOKEN: z.string().min(16).optional(),
  ADMIN_FOUR_EYES: flag,
  WEBHOOK_ALLOW_PRIVATE: flag,
  WEBHOOK_CA_FILE: z.string().optional(),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine(isWellEncoded, 'Write % in the user or password as %25.')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/, 'Set an email address, such as no-reply@example.com.')
    .optional(),
  RATE_LIMIT_ADDRESS_EMAILS: limit(10),
  RATE_LIMIT_VAULT_EMAILS: limit(2_000),
  WEBHOOK_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  VERIFICATION_PROVIDER: z.enum(['manual', 'sandbox', 'http']).optional(),
  VERIFICATION_PROVIDER_URL: z
    .url(HTTP)
    .refine(
      (url) => !partsOf(url).username && !partsOf(url).password,
      'Remove the user and the password from the URL.',
    )
    .optional(),
  VERIFICATION_PROVIDER_SECRET: z.string().min(16).optional(),
  VERIFICATION_ANSWER_HOURS: z.coerce.number().positive().max(720).default(24),
  SCREENING: z.enum(['off', 'local', 'yente']).optional(),
  SCREENING_LIST_DIR: z.string().optional(),
  SCREENING_THRESHOLD: z.coerce.number().min(0.5).max(1).default(0.7),
  YENTE_URL: z.url(HTTP).optional(),
  YENTE_DATASET: z.string().min(1).default('default'),
  YENTE_API_KEY: z.string().optional(),
  SANDBOX_CHECK_DELAY_MS: z.coerce.number().int().min(0).max(300_000).default(500),
  WORKFLOW_BUNDLE: z.string().optional(),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  RETENTION_YEARS: z.coerce.number().int().min(0).max(100).default(5),
  UNFINISHED_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(180),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url(HTTP).optional(),
  // As the standard requires, every value except `true` counts as `false`.
  OTEL_SDK_DISABLED: z
    .string()
    .default('false')
    .transform((value) => value.toLowerCase() === 'true'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json']).default('http/protobuf'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

const OF_HTTP = ['VERIFICATION_PROVIDER_URL', 'VERIFICATION_PROVIDER_SECRET'] as const

const OF_OIDC = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

const OF_EMAIL = ['SMTP_URL', 'MAIL_FROM'] as const

const CERTIFICATE = ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const

const WORKER_VERSION = ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'] as const

const BUCKET_CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const

const schema = settings.superRefine((given, context) => {
  if (/(^|,)\s*s3:/.test(given.BLOB_URL))
    for (const name of BUCKET_CREDENTIALS.filter((each) => given[each] === undefined))
      context.addIssue({ code: 'custom', path: [name], message: 'BLOB_URL with s3:// requires it.' })
  for (const [pair, message] of [
    [CERTIFICATE, 'Set both the certificate and its key.'],
    [WORKER_VERSION, 'Set both the name and the build ID of the deployment.'],
    [OF_EMAIL, 'Set both the mail server and the sender.'],
  ] as const) {
    const missing = pair.filter((each) => given[each] === undefined)
    if (missing.length === 1) context.addIssue({ code: 'custom', path: missing, message })
  }
  if (given.OIDC_ISSUER === undefined) {
    for (const name of [...OF_OIDC, 'SCIM_TOKEN'] as const)
      if (given[name] !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'It has no effect without OIDC_ISSUER.' })
    if (given.OPERATOR_PASSWORDS === 'off')
      context.addIssue({
        code: 'custom',
        path: ['OPERATOR_PASSWORDS'],
        message: 'Set OIDC_ISSUER first. Without it, no operator could sign in.',
      })
  } else {
    for (const name of OF_OIDC.filter((each) => given[each] === undefined))
      context.addIssue({ code: 'custom', path: [name], message: 'OIDC_ISSUER requires it.' })
  }
  if (given.VERIFICATION_PROVIDER !== 'http') return
  for (const name of OF_HTTP.filter((each) => given[each] === undefined))
    context.addIssue({ code: 'custom', path: [name], message: 'VERIFICATION_PROVIDER=http requires it.' })
})

type Derived = 'PUBLIC_URL' | 'VERIFICATION_PROVIDER' | 'SCREENING' | 'SCREENING_LIST_DIR'
export type Config = Omit<z.output<typeof schema>, Derived> & {
  [K in Derived]-?: NonNullable<z.output<typeof schema>[K]>
}

const usable = schema.refine(({ SCREENING, YENTE_URL }) => SCREENING !== 'yente' || YENTE_URL !== undefined, {
  path: ['YENTE_URL'],
  error: 'SCREENING=yente requires the address of yente.',
})

/** Removes blank values, which Compose and shells set for unset variables. */
export const withoutBlankValues = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))

/**
 * Returns the settings. Throws a SettingsError that lists all missing and invalid variables and, in production, all
 * unsafe ones.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = usable.safeParse(withoutBlankValues(env))
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const isMissing = issue.code === 'invalid_type' && issue.expected === 'string'
      return `  ${issue.path.join('.')}: ${isMissing ? 'This setting is required.' : issue.message}`
    })
    throw new SettingsError(`The environment variables are invalid:\n${problems.join('\n')}`)
  }
  const config = parsed.data
  const unsafe = config.ENVIRONMENT === 'production' ? unsafeSettings(config) : []
  if (unsafe.length > 0) {
    const lines = unsafe.map((line) => `  ${line}`)
    throw new SettingsError(
      `ENVIRONMENT=production requires safe settings. Correct these:\n${lines.join('\n')}`,
    )
  }
  return {
    ...config,
    VERIFICATION_PROVIDER:
      config.VERIFICATION_PROVIDER ?? (config.ENVIRONMENT === 'sandbox' ? 'sandbox' : 'manual'),
    SCREENING: config.SCREENING ?? (config.ENVIRONMENT === 'sandbox' ? 'local' : 'off'),
    SCREENING_LIST_DIR: config.SCREENING_LIST_DIR ?? INVENTED_LIST,
    PUBLIC_URL: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
  }
}

/** Returns the settings of the process. If they are invalid, prints the error without its stack and exits. */
export function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

/** Returns the connection settings of Temporal. If a file cannot be read, throws a SettingsError that names it. */
export function temporalOf(config: Config) {
  const { TEMPORAL_TLS, TEMPORAL_API_KEY: apiKey, PUBLIC_URL: publicUrl } = config
  const pem = (name: 'TEMPORAL_TLS_CA_FILE' | (typeof CERTIFICATE)[number]) => {
    const file = config[name]
    return file === undefined ? undefined : readPem(name, file)
  }
  const [authority, crt, key] = [pem('TEMPORAL_TLS_CA_FILE'), ...CERTIFICATE.map(pem)]
  const tls = {
    ...(authority && { serverRootCACertificate: authority }),
    ...(crt && key && { clientCertPair: { crt, key } }),
  }
  const isSecured = TEMPORAL_TLS || apiKey !== undefined || Object.keys(tls).length > 0
  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    publicUrl,
    ...(isSecured && { tls }),
    ...(apiKey !== undefined && { apiKey }),
  }
}
