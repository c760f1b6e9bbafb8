/**
 * Writes structured logs without personal data or secrets. An error appears with its name, code and stack positions, and
 * an error of PostgreSQL also with its condition.
 */
import { LRUCache } from 'lru-cache'
import pino, { type DestinationStream, type Logger } from 'pino'
import { SettingsError } from './settings-error.ts'
import { conditionOf } from './sqlstate.ts'

export type { Logger }

/** The maximum number of characters that wait in memory while the output cannot be written. */
const MAX_WAITING = 1_000_000
/** The maximum number of keys that a throttle remembers. */
const MAX_KEYS = 200

/** How long lines wait, so that the requests of this time share one write. */
const WRITE_MS = 100
/** The number of characters that are written at once. */
const WRITE_FROM = 16_384
/** Lines of this level and above are written at once: warnings and errors. */
const URGENT = 40

export function createLogger(level: string, name: string): Logger {
  const out = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING })
  // Replaces the library's function, which retries until the output can be written and could delay the end of the
  // process.
  out.flushSync = () => {}
  // A full disk must not end the process. Log lines wait until there is space again.
  out.on('error', () => {})
  const log = pino({ level, name, serializers: { err: describeError } }, gatherLines(out))
  let lost = 0
  out.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1
  })
  out.on('drain', () => {
    if (lost > 0) log.warn({ lost }, 'log lines were lost because they could not be written in time')
    lost = 0
  })
  return log
}

/** Returns an output that gathers lines, because a write for each request would take a tenth of its CPU time. */
function gatherLines(out: DestinationStream): DestinationStream {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    out.write(lines)
    lines = ''
  }
  return {
    [pino.symbols.needsMetadataGsym]: true,
    // The library sets this before each call.
    lastLevel: 0,
    write(line: string) {
      lines += line
      if (this.lastLevel >= URGENT || lines.length >= WRITE_FROM) flush()
      else timer ??= setTimeout(flush, WRITE_MS)
    },
  } as DestinationStream & { readonly lastLevel: number }
}

/** The time limit for writing the last line before the process ends. */
const FINAL_WRITE_MS = 500

/**
 * Logs an uncaught error and ends the process. If a setting is invalid, prints only the message, because the stack
 * would not help.
 */
export function logCrash(log: Logger): void {
  process.on('uncaughtException', (err) => {
    if (err instanceof SettingsError) {
      console.error(err.message)
      process.exit(1)
    }
    log.fatal({ err }, 'process exits because of an uncaught error')
    setTimeout(() => process.exit(1), FINAL_WRITE_MS)
  })
}

const THROTTLE_MS = 10 * 60_000

/** Creates a function that returns true at most once per key in 10 minutes, or in `intervalMs`. */
export function createLogThrottle(intervalMs = THROTTLE_MS): (key: string) => boolean {
  const known = new LRUCache<string, true>({ max: MAX_KEYS, ttl: intervalMs })
  return (key) => {
    if (known.has(key)) return false
    known.set(key, true)
    return true
  }
}

/** Returns a function that reports the first error, and then at most one error in 10 minutes, or in `intervalMs`. */
export function throttled(
  report: (error: unknown) => void,
  intervalMs = THROTTLE_MS,
): (error: unknown) => void {
  const isDue = createLogThrottle(intervalMs)
  return (error) => {
    if (isDue('')) report(error)
  }
}

/**
 * Returns the parts of an error that are safe to log. Omits messages, because those of drivers and parsers can quote
 * values. Only a SettingsError keeps its message.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const fields = error as unknown as Record<string, unknown>
  const { code, constraint_name: constraint, table_name: table, routine } = fields
  return {
    name: error.name,
    message: error instanceof SettingsError ? error.message : undefined,
    code,
    condition: conditionOf(code),
    constraint,
    table,
    routine,
    places: stackLinesOf(error),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}

/** Returns the stack without the message, because lines of the message can look like stack positions. */
function stackLinesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message)
  if (at < 0) return []
  const lines = stack.slice(at + message.length).split('\n')
  return lines.filter((line) => /^\s+at /.test(line)).slice(0, 8)
}
