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

const settings = z.object({
  /** Each deployment is one environment with its own database, namespace, users and secrets. */
  ENVIRONMENT: z.enum(['sandbox', 'production']).default('sandbox'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  /** The origin at which clients and applicants reach this service, and with which links in responses start. */
  PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: databaseUrl,
  /** Connects as the owner of the tables, for `migrate`. Needed if `DATABASE_URL` has another user. */
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  TEMPORAL_ADDRESS: temporalAddress.default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  /** Whether to connect over TLS. An API key or a certificate implies this. */
  TEMPORAL_TLS: flag,
  /**
   * The PEM files of the server's certificate authority, unless it is public, and of the client certificate and its key
   * (mTLS).
   */
  TEMPORAL_TLS_CA_FILE: z.string().optional(),
  TEMPORAL_TLS_CERT_FILE: z.string().optional(),
  TEMPORAL_TLS_KEY_FILE: z.string().optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  /** The version of the workers, if several versions run at the same time. The names are those of Temporal's controller. */
  TEMPORAL_DEPLOYMENT_NAME: z.string().min(1).optional(),
  TEMPORAL_WORKER_BUILD_ID: z.string().min(1).optional(),
  /** The address of the Temporal UI, for links to workflows. */
  TEMPORAL_UI_URL: z
    .url(HTTP)
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /**
   * Entries of the form `<key id>:<32 bytes in base64>`, separated by commas. The first key encrypts, and all keys
   * decrypt.
   */
  ENCRYPTION_KEYS: z.string().min(1),
  /** The key for the hashes by which emails, passwords and API keys are found. It has 32 bytes, in base64. */
  HASH_KEY: z.string().min(1),
  /** Where encrypted uploads are stored. New uploads go to the first URL, and all URLs are read (docs/settings.md). */
  BLOB_URL: blobUrls,
  /** The credentials for `s3://`. */
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  /** The trusted proxies, by their number or by their addresses. */
  TRUST_PROXY: trustProxy,
  /** The limits on requests per minute and key, user or, for unknown callers, address. */
  RATE_LIMIT_READS: limit(600),
  RATE_LIMIT_WRITES: limit(300),
  RATE_LIMIT_ANONYMOUS: limit(1_200),
  /** The limit on changes to settings and passwords per hour. */
  RATE_LIMIT_SETTINGS: limit(300),
  /** The limit on cases that an operator reads per hour. */
  RATE_LIMIT_CASE_READS: limit(600),
  /** The limits on applicants' saves and uploads, per minute and session, and per day and verification. */
  RATE_LIMIT_SESSION_SAVES: limit(120),
  RATE_LIMIT_VERIFICATION_SAVES: limit(5_000),
  RATE_LIMIT_SESSION_UPLOADS: limit(30),
  RATE_LIMIT_VERIFICATION_UPLOADS: limit(500),
  /** The limits on checks by the verification provider, per 24 hours. */
  RATE_LIMIT_VERIFICATION_CHECKS: limit(10),
  RATE_LIMIT_VAULT_CHECKS: limit(10_000),
  /** The storage limits of each vault. */
  QUOTA_VAULT_FILES: z.coerce.number().int().min(1).default(200_000),
  QUOTA_VAULT_BYTES: z.coerce.number().int().min(1).default(100_000_000_000),
  /** The age, in days, at which a new key replaces the key that signs access tokens. */
  TOKEN_ROTATION_DAYS: z.coerce.number().int().min(1).max(365).default(30),
  /** The OpenID provider of the operators. Without it, operators sign in only with passwords. */
  OIDC_ISSUER: z
    .url(HTTP)
    .refine((text) => {
      const { username, password, search, hash } = partsOf(text)
      return [username, password, search, hash].every((part) => part === '')
    }, 'Set the issuer exactly as the provider states it, without a query, fragment or user.')
    .optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** The audience of access tokens for the operator API. The default is the client ID. */
  OIDC_AUDIENCE: z.string().min(1).optional(),
  /** The claim that contains an operator's groups. */
  OIDC_ROLE_CLAIM: z.string().min(1).default('groups'),
  /** The maximum age of a console session that single sign-on opened. */
  OIDC_SESSION_HOURS: z.coerce.number().positive().max(24).default(12),
  /** With `off`, operators can sign in only through the OpenID provider. */
  OPERATOR_PASSWORDS: z.enum(['on', 'off']).default('on'),
  /** The bearer token with which the provider's directory creates and removes operators (SCIM 2.0). */
  SCIM_TOKEN: z.string().min(16).optional(),
  /** Requires a second administrator for administrative actions that could defeat four-eyes approval. */
  ADMIN_FOUR_EYES: flag,
  WEBHOOK_ALLOW_PRIVATE: flag,
  WEBHOOK_CA_FILE: z.string().optional(),
  /** The mail server for emails to applicants, and the address from which they are sent. Without both, emails are off. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine(isWellEncoded, 'Write % in the user or password as %25.')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/, 'Set an email address, such as no-reply@example.com.')
    .optional(),
  /** The limits on emails per 24 hours, to one address and of one vault. */
  RATE_LIMIT_ADDRESS_EMAILS: limit(10),
  RATE_LIMIT_VAULT_EMAILS: limit(2_000),
  /** How many days after an event its finished deliveries are kept. */
  WEBHOOK_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** Selects the provider of verification checks. The default is `sandbox` in the sandbox, otherwise `manual`. */
  VERIFICATION_PROVIDER: z.enum(['manual', 'sandbox', 'http']).optional(),
  /** The URL of the provider `http`, and the secret with which both sides sign their messages. */
  VERIFICATION_PROVIDER_URL: z
    .url(HTTP)
    .refine(
      (url) => !partsOf(url).username && !partsOf(url).password,
      'Remove the user and the password from the URL.',
    )
    .optional(),
  VERIFICATION_PROVIDER_SECRET: z.string().min(16).optional(),
  /** How long to wait for a provider's result after the provider accepts a check. An operator decides after that. */
  VERIFICATION_ANSWER_HOURS: z.coerce.number().positive().max(720).default(24),
  /** The screening engine. The default is the sample list in the sandbox, and none in production. */
  SCREENING: z.enum(['off', 'local', 'yente']).optional(),
  /** The folder of the lists. The default is the folder of the sample list. */
  SCREENING_LIST_DIR: z.string().optional(),
  /** The minimum score of a hit. */
  SCREENING_THRESHOLD: z.coerce.number().min(0.5).max(1).default(0.7),
  YENTE_URL: z.url(HTTP).optional(),
  YENTE_DATASET: z.string().min(1).default('default'),
  YENTE_API_KEY: z.string().optional(),
  /** The duration of the sandbox's verification checks. */
  SANDBOX_CHECK_DELAY_MS: z.coerce.number().int().min(0).max(300_000).default(500),
  /** The file of bundled workflows (`cli bundle-workflows`). By default, the worker bundles them itself. */
  WORKFLOW_BUNDLE: z.string().optional(),
  /** The port of the worker's health check. By default, the worker has none. */
  HEALTH_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** The port of the Prometheus metrics. By default, there is none. */
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** How long the data of an identification must be retained after the identification is rejected or closed. */
  RETENTION_YEARS: z.coerce.number().int().min(0).max(100).default(5),
  /** After how many days without a change the data of an unfinished identification or application is due for erasure. */
  UNFINISHED_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(180),
  /** The OTLP collector that receives traces. Without it, tracing is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url(HTTP).optional(),
  /** Turns tracing off. As the standard requires, every value except `true` counts as `false`. */
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
    const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
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
