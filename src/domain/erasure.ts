/** What stays of an event's payload once the identification it tells of is erased: ids, states, amounts, times. */

const KEPT = /^(event_id|occurred_at|version|status|amount|currency|.+_uuid|.+_at)$/

type Body = Partial<Record<'data' | 'error', { event: string; attributes?: Record<string, unknown> }>>

/** The same body, under the same key, with the attributes that name nobody. */
export function erasedPayload(payload: string): string {
  const entries = Object.entries(JSON.parse(payload) as Body).map(([key, { event, attributes }]) => {
    const kept = Object.entries(attributes ?? {}).filter(
      ([name, value]) => KEPT.test(name) && (typeof value === 'string' || typeof value === 'number'),
    )
    return [key, { event, attributes: Object.fromEntries(kept) }]
  })
  return JSON.stringify(Object.fromEntries(entries))
}
