/** Structured logs without personal data or secrets: an error is logged by name, code and place. */
import pino, { type Logger } from 'pino'

export type { Logger }

export const createLogger = (level: string, name: string): Logger =>
  pino({ level, name, serializers: { err: describeError } })

/**
 * Messages of drivers and parsers quote the values they choked on, so they are left out; the code and
 * the stack's places say what went wrong.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code, constraint, table, routine } = error as unknown as Record<string, unknown>
  return {
    name: error.name,
    code,
    constraint,
    table,
    routine,
    places: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}
