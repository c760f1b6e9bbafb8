/** Parses the options of `npm run listen`. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { TOPICS, type Topic } from '../../src/domain/base/topics.ts'
import { UserFacingError } from '../user-facing-error.ts'

export const USAGE = `Usage: npm run listen -- [options]

Prints the webhooks that arrive on this machine.

  --port 4000              port to listen on
  --register account,...   topics to register this receiver for (or all) until Ctrl-C
  --name "Case updates"    name of the registered URL
  --events kyb_processed   names of the events to receive; default: all events of the topics
  --header "X-Tenant: 1"   additional header of each request; can be repeated
  --rate 20                maximum number of requests per second
  --certificate FILE       certificate with its chain, in PEM format, to receive over https
  --key FILE               private key of the certificate
  --ca FILE                certificate authorities that Gatehouse trusts for this receiver
  --client-certificate FILE, --client-key FILE
                           certificate and key that Gatehouse sends; the receiver refuses others
  --secret whsec_...       webhook secret; default: the secret of the running instance
  --json                   print the received bodies; other output goes to stderr
  --fail 3                 number of first deliveries that get a 500
  --delay 2000             delay before each response, in milliseconds`

export interface UrlOptions {
  readonly name?: string
  readonly events?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly max_per_second?: number
  readonly ca?: string
  readonly client_certificate?: string
  readonly client_key?: string
}

export interface ListenOptions {
  readonly port: number
  readonly topics: readonly Topic[]
  /** The options of the registered URL, in the format of the API. Empty if there are none. */
  readonly url: UrlOptions
  /** The certificate and key for https, or null for http. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly secret: string | null
  readonly json: boolean
  readonly fail: number
  readonly delay: number
}

/** Returns the options, or null if help is requested. Throws UserFacingError for invalid options. */
export function readOptions(args: string[]): ListenOptions | null {
  const { values } = parsed(args)
  if (values.help) return null
  const [topics, url, tls] = [topicsOf(values.register), urlOptionsOf(values), tlsOf(values)]
  if (topics.length === 0 && Object.keys(url).length > 0)
    throw new UserFacingError(
      '--name, --events, --header, --rate, --ca, --client-certificate and --client-key require --register.',
    )
  if (!tls && (url.ca || url.client_certificate || url.client_key))
    throw new UserFacingError('--ca, --client-certificate and --client-key require --certificate and --key.')
  return {
    port: number('port', values.port, 65_535),
    topics,
    url,
    tls,
    secret: values.secret === undefined || values.secret === '' ? null : values.secret,
    json: values.json,
    fail: number('fail', values.fail, 1_000_000),
    delay: number('delay', values.delay, 600_000),
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string', default: '4000' },
        register: { type: 'string', default: '' },
        name: { type: 'string' },
        events: { type: 'string' },
        header: { type: 'string', multiple: true },
        rate: { type: 'string' },
        certificate: { type: 'string' },
        key: { type: 'string' },
        ca: { type: 'string' },
        'client-certificate': { type: 'string' },
        'client-key': { type: 'string' },
        secret: { type: 'string' },
        json: { type: 'boolean', default: false },
        fail: { type: 'string', default: '0' },
        delay: { type: 'string', default: '0' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message}\n\n${USAGE}`)
  }
}

type Values = ReturnType<typeof parsed>['values']

function urlOptionsOf({ name, events, header, rate, ...files }: Values): UrlOptions {
  return {
    ...(name && { name }),
    ...(events && { events: events.split(',').filter(Boolean) }),
    ...(header && { headers: Object.fromEntries(header.map(headerOf)) }),
    ...(rate && { max_per_second: number('rate', rate, 1_000) }),
    ...(files.ca && { ca: contentOf('ca', files.ca) }),
    ...(files['client-certificate'] && {
      client_certificate: contentOf('client-certificate', files['client-certificate']),
    }),
    ...(files['client-key'] && { client_key: contentOf('client-key', files['client-key']) }),
  }
}

function tlsOf({ certificate, key }: Values): ListenOptions['tls'] {
  if (!certificate && !key) return null
  if (!certificate || !key) throw new UserFacingError('--certificate and --key require each other.')
  return { cert: contentOf('certificate', certificate), key: contentOf('key', key) }
}

function contentOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UserFacingError(`--${option}: ${path} cannot be read (${code}).`)
  }
}

function headerOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? []
  if (name && value) return [name, value]
  throw new UserFacingError(`--header requires a name and a value, such as "X-Tenant: 1".`)
}

function number(name: string, value: string, max: number): number {
  if (/^\d{1,9}$/.test(value) && Number(value) <= max) return Number(value)
  throw new UserFacingError(`--${name} requires a whole number from 0 to ${max}, not "${value}".`)
}

function topicsOf(value: string): readonly Topic[] {
  if (value === 'all') return TOPICS
  const names = value.split(',').filter(Boolean)
  const unknown = names.filter((name) => !(TOPICS as readonly string[]).includes(name))
  if (unknown.length === 0) return names as Topic[]
  throw new UserFacingError(`There is no topic ${unknown.join(', ')}. Choose from all, ${TOPICS.join(', ')}.`)
}
