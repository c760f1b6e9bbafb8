/** Reads the settings of a process from its environment, once, and says plainly what is wrong with them. */
import { fileURLToPath } from 'node:url'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { unsafeSettings } from './production.ts'
import { readPem, SettingsError } from './settings-error.ts'

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')

const limit = (preset: number) => z.coerce.number().int().min(1).max(100_000_000).default(preset)

const NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** Not `true`, which takes anybody's word. */
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

/** Pages lead to each other by paths of their own, so nothing may come after the host. */
const publicUrl = z
  .url(HTTP)
  .refine((text) => {
    const { username, password, pathname, search, hash } = partsOf(text)
    return pathname === '/' && [username, password, search, hash].every((part) => part === '')
  }, 'Set https:// and the host, without a path, query, fragment or user.')
  .transform((text) => new URL(text).origin)

/** Nobody in it exists: it is for trying out what happens. */
export const INVENTED_LIST = fileURLToPath(new URL('../screening/invented-list', import.meta.url))

const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/ })
  .refine(isWellEncoded, 'Write % in a user, password or database name as %25.')

/** Without a port it is Temporal's usual one. */
const temporalAddress = z
  .string()
  .regex(
    /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(:\d{1,5})?$/i,
    'Set host:port, without http:// and without a path.',
  )

const settings = z.object({
  /** One deployment is one environment: its own database, namespace, users and secrets. */
  ENVIRONMENT: z.enum(['sandbox', 'production']).default('sandbox'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  /** The origin at which clients and applicants reach this service; links in answers start with it. */
  PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: databaseUrl,
  /** As whom `migrate` goes to the same database: the tables' owner, where that is not who serves. */
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  TEMPORAL_ADDRESS: temporalAddress.default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  /** Over TLS, as an API key and a certificate need it anyway. */
  TEMPORAL_TLS: flag,
  /** PEM files: the authority of the server's certificate unless it is a public one, and what this side shows (mTLS). */
  TEMPORAL_TLS_CA_FILE: z.string().optional(),
  TEMPORAL_TLS_CERT_FILE: z.string().optional(),
  TEMPORAL_TLS_KEY_FILE: z.string().optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  /** Where operators reach Temporal's UI; what is shown of a workflow links there when it is given. */
  TEMPORAL_UI_URL: z
    .url(HTTP)
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** `<key id>:<32 bytes, base64>`, comma separated; the first one encrypts, all of them decrypt. */
  ENCRYPTION_KEYS: z.string().min(1),
  /** 32 bytes, base64: keys the hashes by which e-mails, passwords and API keys are looked up. */
  HASH_KEY: z.string().min(1),
  /** The folder that holds uploaded files, encrypted. */
  BLOB_DIR: z.string().min(1),
  /** The proxies whose word about a caller's address is taken: how many, or their addresses. */
  TRUST_PROXY: trustProxy,
  /** Requests a minute: of a key or user, and of an address that names neither. */
  RATE_LIMIT_READS: limit(600),
  RATE_LIMIT_WRITES: limit(300),
  RATE_LIMIT_ANONYMOUS: limit(1_200),
  /** Changes of settings that a client makes, an hour in a vault; of its own password, for a user. */
  RATE_LIMIT_SETTINGS: limit(300),
  /** What an applicant saves and uploads: a minute in one session, and a day in one verification. */
  RATE_LIMIT_SESSION_SAVES: limit(120),
  RATE_LIMIT_VERIFICATION_SAVES: limit(5_000),
  RATE_LIMIT_SESSION_UPLOADS: limit(30),
  RATE_LIMIT_VERIFICATION_UPLOADS: limit(500),
  /** What each vault stores. */
  QUOTA_VAULT_FILES: z.coerce.number().int().min(1).default(200_000),
  QUOTA_VAULT_BYTES: z.coerce.number().int().min(1).default(100_000_000_000),
  /** After so many days a new key signs access tokens. */
  TOKEN_ROTATION_DAYS: z.coerce.number().int().min(1).max(365).default(30),
  /** Administrative actions that could defeat four-eyes approval wait for a second administrator. */
  ADMIN_FOUR_EYES: flag,
  WEBHOOK_ALLOW_PRIVATE: flag,
  WEBHOOK_CA_FILE: z.string().optional(),
  /** Deliveries that have ended are deleted so many days after their event. */
  WEBHOOK_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** Who decides verification checks; unless set, the sandbox's own in the sandbox and operators in production. */
  VERIFICATION_PROVIDER: z.enum(['manual', 'sandbox', 'http']).optional(),
  /** Where the provider `http` is asked, and the secret by which both sides sign. */
  VERIFICATION_PROVIDER_URL: z
    .url(HTTP)
    .refine(
      (url) => !partsOf(url).username && !partsOf(url).password,
      'Remove the user and the password from the URL.',
    )
    .optional(),
  VERIFICATION_PROVIDER_SECRET: z.string().min(16).optional(),
  /** For so long after it took a check on its answer is waited for; then an operator decides. */
  VERIFICATION_ANSWER_HOURS: z.coerce.number().positive().max(720).default(24),
  /** Who looks for names on lists; unless set, the invented list in the sandbox, and nobody in production. */
  SCREENING: z.enum(['off', 'local', 'yente']).optional(),
  /** The folder of the lists; unless set, that of the invented list. */
  SCREENING_LIST_DIR: z.string().optional(),
  /** From which score on somebody is a hit. */
  SCREENING_THRESHOLD: z.coerce.number().min(0.5).max(1).default(0.7),
  YENTE_URL: z.url(HTTP).optional(),
  YENTE_DATASET: z.string().min(1).default('default'),
  YENTE_API_KEY: z.string().optional(),
  /** How long the sandbox's verification checks take. */
  SANDBOX_CHECK_DELAY_MS: z.coerce.number().int().min(0).max(300_000).default(500),
  /** Workflows bundled before (`cli bundle-workflows`): a worker that finds none bundles them itself. */
  WORKFLOW_BUNDLE: z.string().optional(),
  /** The worker answers its health check on this port when it is given. */
  HEALTH_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** Prometheus is answered there when it is given. */
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** How long an identification is kept after it was rejected or closed, before it may be erased. */
  RETENTION_YEARS: z.coerce.number().int().min(0).max(100).default(5),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

const OF_HTTP = ['VERIFICATION_PROVIDER_URL', 'VERIFICATION_PROVIDER_SECRET'] as const

const CERTIFICATE = ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const

const schema = settings.superRefine((given, context) => {
  const missing = CERTIFICATE.filter((each) => given[each] === undefined)
  if (missing.length === 1)
    context.addIssue({ code: 'custom', path: missing, message: 'Set both the certificate and its key.' })
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

/** Compose passes what is not set as an empty text, and so does a shell: a text of blanks says no more. */
export const withoutBlankValues = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))

/** Throws a SettingsError whose message names every variable that is missing or wrong, or unsafe in production. */
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

/** For processes: ends this one with the message alone, since a stack says nothing about an environment. */
export function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

/** How Temporal is reached. Throws a SettingsError that names the file when one cannot be read. */
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
