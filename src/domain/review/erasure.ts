/** Rules for erasing webhook payloads, so that only IDs, statuses, amounts and times remain. */
import { REASON_CODES } from '../decision/decision.ts'
import { ALL_SERVICES } from '../identification/holds.ts'
import { REVIEW_OUTCOMES } from '../kyb/application.ts'
import { FAILURE_MESSAGES } from '../payment/payment.ts'

const KEPT = /^(event_id|occurred_at|version|status|amount|currency|external_id|.+_uuid|.+_at)$/

const isOneOf = (words: readonly string[]) => (value: string) => words.includes(value)

/**
 * The attributes that remain only if Gatehouse defines their value, because publishers can use the same names for any
 * text.
 */
const OWN_WORDS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['outcome', isOneOf(REVIEW_OUTCOMES)],
  ['reason_code', isOneOf([...REASON_CODES, ...Object.keys(FAILURE_MESSAGES)])],
  ['message', isOneOf(Object.values(FAILURE_MESSAGES))],
  ['profile_version', (value) => /^\d{1,9}$/.test(value)],
  ['services', (value) => value.split(',').every(isOneOf(ALL_SERVICES))],
])

type Body = Partial<Record<'data' | 'error', { event: string; attributes?: Record<string, unknown> }>>

/** Returns the body with the same key, but without attributes that can contain personal data. */
export function erasedPayload(payload: string): string {
  const entries = Object.entries(JSON.parse(payload) as Body).map(([key, { event, attributes }]) => {
    const kept = Object.entries(attributes ?? {}).filter(
      ([name, value]) =>
        (typeof value === 'string' || typeof value === 'number') &&
        (KEPT.test(name) || OWN_WORDS.get(name)?.(String(value))),
    )
    return [key, { event, attributes: Object.fromEntries(kept) }]
  })
  return JSON.stringify(Object.fromEntries(entries))
}
