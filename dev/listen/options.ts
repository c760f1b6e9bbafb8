/** Parses the options of `npm run listen`. */
import { parseArgs } from 'node:util'
import { TOPICS, type Topic } from '../../src/domain/webhook/events.ts'
import { UserFacingError } from '../user-facing-error.ts'

export const USAGE = `npm run listen -- [options]: prints the webhooks that arrive on this machine

  --port 4000              where to listen
  --register account,...   registers this receiver for the topics, or for all, until Ctrl-C
  --secret whsec_...       the webhook secret; otherwise the running instance is asked
  --json                   prints bodies as they came; everything else goes to the error output
  --fail 3                 answers the first so many deliveries with 500
  --delay 2000             waits so many milliseconds before each answer`

export interface ListenOptions {
  readonly port: number
  readonly topics: readonly Topic[]
  readonly secret: string | null
  readonly json: boolean
  readonly fail: number
  readonly delay: number
}

/** Returns null if help is requested. Throws UserFacingError for invalid options. */
export function readOptions(args: string[]): ListenOptions | null {
  const { values } = parsed(args)
  if (values.help) return null
  return {
    port: number('port', values.port, 65_535),
    topics: topicsOf(values.register),
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

function number(name: string, value: string, max: number): number {
  if (/^\d{1,9}$/.test(value) && Number(value) <= max) return Number(value)
  throw new UserFacingError(`--${name} takes a whole number from 0 to ${max}, not "${value}".`)
}

function topicsOf(value: string): readonly Topic[] {
  if (value === 'all') return TOPICS
  const names = value.split(',').filter(Boolean)
  const unknown = names.filter((name) => !(TOPICS as readonly string[]).includes(name))
  if (unknown.length === 0) return names as Topic[]
  throw new UserFacingError(`There is no topic ${unknown.join(', ')}: choose from all, ${TOPICS.join(', ')}.`)
}
