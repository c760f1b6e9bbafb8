/** Rules for the times of delivery attempts. */

/**
 * Up to three retries follow the first attempt, with this pause between the starts of attempts (specification,
 * "Acknowledgement and retries").
 */
export const MAX_ATTEMPTS = 4
export const SPACING_MS = 10_000

const HOUR_MS = 3_600_000
/** The pauses before the additional attempts in vaults with long retries. */
export const LONG_PAUSES_MS = [1, 2, 4, 8, 16].map((hours) => hours * HOUR_MS)
/** Returns the maximum number of attempts in a vault with or without long retries. */
export const maxAttemptsOf = (hasLongRetries: boolean): number =>
  MAX_ATTEMPTS + (hasLongRetries ? LONG_PAUSES_MS.length : 0)

/**
 * The maximum fraction by which a pause is lengthened, so that deliveries that failed together are not retried
 * together.
 */
export const JITTER = 0.2

const MAX_RETRY_AFTER_SECONDS = 3_600
/** The formats of dates in HTTP (RFC 9110), of which the first is current. */
const HTTP_DATE =
  /^[A-Z][a-z]+,? (?:\d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|\d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** Reads the header `Retry-After`. Returns the seconds to wait, at most an hour, or null if the value is invalid. */
export function readRetryAfter(value: string, now: number): number | null {
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS)
  if (!HTTP_DATE.test(text)) return null
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  if (Number.isNaN(time)) return null
  return Math.min(Math.max(0, Math.ceil((time - now) / 1_000)), MAX_RETRY_AFTER_SECONDS)
}

/** The result of an attempt at one URL. */
interface Asked {
  readonly durationMs: number
  readonly retryAfter: number | null
}

/**
 * Returns the time from the start of an attempt to the start of the next one. A receiver can ask for a later time, at
 * most the time at which the specified schedule ends. The pauses after that are longer than any that it may ask for.
 */
export function pauseUntilNext(number: number, pauseMs: number, results: readonly Asked[]): number {
  const latestMs = (MAX_ATTEMPTS - number) * SPACING_MS
  const askedMs = results.map(({ durationMs, retryAfter }) =>
    retryAfter === null ? 0 : durationMs + retryAfter * 1_000,
  )
  return Math.max(pauseMs, Math.min(latestMs, Math.max(0, ...askedMs)))
}
