/** Finds settings that are unsafe in production, with advice for each. */

import { parseBlobUrls } from './blob-url.ts'

/** The settings as given. A missing setting is undefined. */
interface GivenSettings {
  readonly HOST: string
  readonly PUBLIC_URL?: string | undefined
  readonly DATABASE_URL: string
  readonly MIGRATION_DATABASE_URL?: string | undefined
  readonly BLOB_URL: string
  readonly ENCRYPTION_KEYS: string
  readonly HASH_KEY: string
  readonly WEBHOOK_ALLOW_PRIVATE: boolean
  readonly VERIFICATION_PROVIDER?: string | undefined
  readonly VERIFICATION_PROVIDER_URL?: string | undefined
  readonly VERIFICATION_PROVIDER_SECRET?: string | undefined
  readonly OIDC_ISSUER?: string | undefined
  readonly SCIM_TOKEN?: string | undefined
  readonly SCREENING?: string | undefined
  readonly SCREENING_LIST_DIR?: string | undefined
  readonly YENTE_URL?: string | undefined
  readonly RATE_LIMIT_READS: number
  readonly RATE_LIMIT_WRITES: number
  readonly RATE_LIMIT_ANONYMOUS: number
}

interface Unsafe {
  readonly setting: keyof GivenSettings
  readonly is: (given: GivenSettings) => boolean
  readonly advice: string
}

/** Matches names for examples and local use (RFC 2606, RFC 6761), and addresses without a name. */
const NO_PUBLIC_HOST =
  /(^|\.)(localhost|test|invalid|example|example\.(com|net|org))$|^(127(\.\d+){3}$|\[|0\.0\.0\.0$)/i

/**
 * Returns whether the host is this machine or in a private network. Names without a dot exist only in private networks,
 * such as the Compose network.
 */
export const isPrivateHost = (hostname: string): boolean =>
  LOOPBACK.test(hostname) || /^[a-z0-9_-]+$/i.test(hostname)

/** Returns whether others could read the traffic of the connection. */
function isOpenToListeners(url: string | undefined): boolean {
  const { protocol = 'https:', hostname = '' } = urlOf(url) ?? {}
  return protocol !== 'https:' && !isPrivateHost(hostname)
}

/**
 * Matches loopback addresses and their names. Matches whole names, because a name can begin like an address. IPv6
 * addresses can be in brackets, as in URLs.
 */
const LOOPBACK = /^(127(\.\d+){3}|::1|\[::1\]|localhost)$/i

/** Example values, and the passwords that attackers try first. */
const KNOWN_PASSWORDS = new Set([
  ...['', 'password', 'passwort', 'postgres', 'postgresql', 'gatehouse', 'temporal', 'admin', 'root', 'user'],
  ...['changeme', 'change-me', 'change_me', 'secret', 'example', 'test', 'default', 'letmein', '123456'],
])

const urlOf = (text = ''): URL | null => (URL.canParse(text) ? new URL(text) : null)

const KNOWN_PASSWORD =
  'has a well-known password. Create one with openssl rand -hex 24, and set it with ALTER ROLE'

function hasKnownPassword(databaseUrl = ''): boolean {
  const { username = '', password = '' } = urlOf(databaseUrl) ?? {}
  // Without a password, the server authenticates the user by other means, such as a certificate.
  if (password === '' && !databaseUrl.includes(':@')) return false
  return password === username || KNOWN_PASSWORDS.has(password.toLowerCase()) || /^<.*>$|^%3C/.test(password)
}

/** Returns the ID and the key of each entry. Both are empty if the entry has another format. */
const entriesOf = ({ ENCRYPTION_KEYS }: GivenSettings) =>
  ENCRYPTION_KEYS.split(',').map((entry) => {
    const [, id = '', key = ''] = /^([A-Za-z0-9_-]{1,32}):(.+)$/.exec(entry.trim()) ?? []
    return { id, key }
  })
const keysOf = (given: GivenSettings): string[] => entriesOf(given).map(({ key }) => key)
const idsOf = (given: GivenSettings): string[] => entriesOf(given).map(({ id }) => id)

const isKey = (base64: string): boolean =>
  /^[A-Za-z0-9+/]{43}=?$/.test(base64) && Buffer.from(base64, 'base64').length === 32

/**
 * Returns whether the key is not random. 32 random bytes have about 30 distinct values and differences, and are not all
 * letters.
 */
function isGuessable(base64: string): boolean {
  const bytes = [...Buffer.from(base64, 'base64')]
  const differences = bytes.slice(1).map((byte, index) => (byte - (bytes[index] ?? 0)) & 0xff)
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText || new Set(bytes).size < 16 || new Set(differences).size < 16
}

/** Returns whether a secret text is too short or has too few distinct characters. */
const isGuessableText = (text: string): boolean => text.length < 32 || new Set(text).size < 10

const MAKE_KEY = 'create one with openssl rand -base64 32'

/** The number of requests per minute from which a limit has no effect, because no client sends more with one key. */
const NO_LIMIT = 100_000

const withoutLimit = (
  setting: 'RATE_LIMIT_READS' | 'RATE_LIMIT_WRITES' | 'RATE_LIMIT_ANONYMOUS',
): Unsafe => ({
  setting,
  is: (given) => given[setting] > NO_LIMIT,
  advice: `is too high to limit requests. Set it to at most ${NO_LIMIT} per minute`,
})

export const UNSAFE: readonly Unsafe[] = [
  {
    setting: 'PUBLIC_URL',
    // If the API listens only on the loopback interface, it is not reachable from other machines.
    is: ({ HOST, PUBLIC_URL }) => PUBLIC_URL === undefined && !LOOPBACK.test(HOST),
    advice: 'is missing. Set it to the https address of the API for clients',
  },
  {
    setting: 'PUBLIC_URL',
    is: ({ PUBLIC_URL }) => PUBLIC_URL !== undefined && urlOf(PUBLIC_URL)?.protocol !== 'https:',
    advice:
      'is not https. Serve the API over https, because links lead to personal data, and set the https address',
  },
  {
    setting: 'PUBLIC_URL',
    is: ({ PUBLIC_URL }) => NO_PUBLIC_HOST.test(urlOf(PUBLIC_URL)?.hostname ?? ''),
    advice: 'is an example or this machine. Set it to the host name that clients use',
  },
  {
    setting: 'DATABASE_URL',
    is: ({ DATABASE_URL }) => hasKnownPassword(DATABASE_URL),
    advice: KNOWN_PASSWORD,
  },
  {
    setting: 'MIGRATION_DATABASE_URL',
    is: ({ MIGRATION_DATABASE_URL }) => hasKnownPassword(MIGRATION_DATABASE_URL),
    advice: KNOWN_PASSWORD,
  },
  {
    setting: 'ENCRYPTION_KEYS',
    is: (given) => !keysOf(given).every(isKey),
    advice: `has an entry that is not <id>:<32 bytes in base64>; ${MAKE_KEY}`,
  },
  {
    setting: 'ENCRYPTION_KEYS',
    is: (given) => keysOf(given).some((key) => isKey(key) && isGuessable(key)),
    advice: `has a key that can be guessed; ${MAKE_KEY}`,
  },
  {
    setting: 'ENCRYPTION_KEYS',
    is: (given) => new Set(idsOf(given)).size < idsOf(given).length,
    advice: 'has two keys with the same ID. Use a different ID for each key',
  },
  {
    setting: 'HASH_KEY',
    is: ({ HASH_KEY }) => !isKey(HASH_KEY),
    advice: `is not 32 bytes in base64; ${MAKE_KEY}`,
  },
  {
    setting: 'HASH_KEY',
    is: ({ HASH_KEY }) => isKey(HASH_KEY) && isGuessable(HASH_KEY),
    advice: `can be guessed; ${MAKE_KEY}`,
  },
  {
    setting: 'HASH_KEY',
    is: (given) => keysOf(given).includes(given.HASH_KEY),
    advice: `is one of the encryption keys. Use a separate key; ${MAKE_KEY}`,
  },
  {
    setting: 'WEBHOOK_ALLOW_PRIVATE',
    is: ({ WEBHOOK_ALLOW_PRIVATE }) => WEBHOOK_ALLOW_PRIVATE,
    advice: 'lets clients send requests to the network of this service. Remove it',
  },
  {
    setting: 'VERIFICATION_PROVIDER',
    is: ({ VERIFICATION_PROVIDER }) => VERIFICATION_PROVIDER === 'sandbox',
    advice: 'determines results from the name of the person. Remove it',
  },
  {
    setting: 'VERIFICATION_PROVIDER_URL',
    is: ({ VERIFICATION_PROVIDER_URL }) => isOpenToListeners(VERIFICATION_PROVIDER_URL),
    advice:
      'is not https. Personal data is sent there, so http is allowed only for this machine or a name without a dot',
  },
  {
    setting: 'VERIFICATION_PROVIDER_SECRET',
    is: ({ VERIFICATION_PROVIDER_SECRET: secret }) => secret !== undefined && isGuessableText(secret),
    advice:
      'can be guessed, and it authorises decisions on identifications. Create one with openssl rand -hex 32',
  },
  {
    setting: 'OIDC_ISSUER',
    is: ({ OIDC_ISSUER }) => OIDC_ISSUER !== undefined && urlOf(OIDC_ISSUER)?.protocol !== 'https:',
    advice: 'is not https. Someone who changes its responses could sign in as any operator',
  },
  {
    setting: 'SCIM_TOKEN',
    is: ({ SCIM_TOKEN: token }) => token !== undefined && isGuessableText(token),
    advice: 'can be guessed, and it creates operators. Create one with openssl rand -hex 32',
  },
  {
    setting: 'SCREENING',
    is: ({ SCREENING, SCREENING_LIST_DIR }) => SCREENING === 'local' && SCREENING_LIST_DIR === undefined,
    advice:
      'is local, but the included list is fictitious. Set SCREENING_LIST_DIR to a folder with real lists',
  },
  {
    setting: 'BLOB_URL',
    is: ({ BLOB_URL }) =>
      parseBlobUrls(BLOB_URL).some((place) => place.kind === 'bucket' && isOpenToListeners(place.endpoint)),
    advice: 'has an endpoint that is not https. Serve the bucket over https',
  },
  {
    setting: 'YENTE_URL',
    is: ({ YENTE_URL }) => YENTE_URL !== undefined && urlOf(YENTE_URL)?.protocol !== 'https:',
    advice: 'is not https. Names and dates of birth are sent there, so serve yente over https',
  },
  withoutLimit('RATE_LIMIT_READS'),
  withoutLimit('RATE_LIMIT_WRITES'),
  withoutLimit('RATE_LIMIT_ANONYMOUS'),
]

/** Returns one line for each unsafe setting. The lines do not contain the values of settings. */
export const unsafeSettings = (given: GivenSettings): string[] =>
  UNSAFE.filter(({ is }) => is(given)).map(({ setting, advice }) => `${setting} ${advice}.`)
