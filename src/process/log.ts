/** Structured logs without personal data or secrets: an error is logged by name, code and place. */
import { LRUCache } from 'lru-cache'
import pino, { type Logger } from 'pino'
import { SettingsError } from './settings-error.ts'

export type { Logger }

/** Of what cannot be written: no more of it is kept. */
const MAX_WAITING = 1_000_000
/** Of what is said rarely. */
const MAX_KEYS = 200

export function createLogger(level: string, name: string): Logger {
  const out = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING })
  // It tries for as long as nothing can be written, and would hold up even the end of the process.
  out.flushSync = () => {}
  // A disk that is full ends no process: what cannot be written waits for room.
  out.on('error', () => {})
  const log = pino({ level, name, serializers: { err: describeError } }, out)
  let lost = 0
  out.on('drop', () => {
    lost += 1
  })
  out.on('drain', () => {
    if (lost > 0) log.warn({ lost }, 'log lines were lost because they could not be written in time')
    lost = 0
  })
  return log
}

/** For what is logged last to be written, where it can be. */
const LAST_WORDS_MS = 500

/**
 * A process that ends by an error nobody caught says so in its log, and not with the error's message; by a setting that
 * is wrong, with the message alone, since a stack says nothing about a setting.
 */
export function logCrash(log: Logger): void {
  process.on('uncaughtException', (err) => {
    if (err instanceof SettingsError) {
      console.error(err.message)
      process.exit(1)
    }
    log.fatal({ err }, 'process exits because of an uncaught error')
    setTimeout(() => process.exit(1), LAST_WORDS_MS)
  })
}

/** For what may come over and over for an hour: whether this is the first time of its key, or of ten minutes. */
export function createLogThrottle(): (key: string) => boolean {
  const known = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 10 * 60_000 })
  return (key) => {
    if (known.has(key)) return false
    known.set(key, true)
    return true
  }
}

/** For what may fail so: says it the first time, and then once in ten minutes. */
export function throttled(say: (error: unknown) => void): (error: unknown) => void {
  const isDue = createLogThrottle()
  return (error) => {
    if (isDue('')) say(error)
  }
}

/**
 * Messages of drivers and parsers quote the values they choked on, so they are left out; the code and
 * the stack's places say what went wrong. Our own of a setting quote nothing.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const fields = error as unknown as Record<string, unknown>
  const { code, constraint_name: constraint, table_name: table, routine } = fields
  return {
    name: error.name,
    message: error instanceof SettingsError ? error.message : undefined,
    code,
    constraint,
    table,
    routine,
    places: placesOf(error),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}

/** The stack without the message above it, whose lines may look like places. */
function placesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message)
  if (at < 0) return []
  const lines = stack.slice(at + message.length).split('\n')
  return lines.filter((line) => /^\s+at /.test(line)).slice(0, 8)
}
