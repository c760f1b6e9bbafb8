/** Rules for the IDs and the stored kinds of facts. */

/** Matches the IDs of facts. They contain only characters that the database can store. */
const FACT_ID = /^[\x20-\x7e]{1,200}$/

/**
 * The kinds that rows, messages and timelines contain, by their names here. The stored kinds are also names of events
 * and error codes. This version writes them, so that processes of the earlier version understand them, and reads both.
 */
const STORED_KINDS: ReadonlyMap<string, string> = new Map([
  ['review_finished', 'kyb_processed'],
  ['company_closed', 'identification_closed'],
])

const NAMES = new Map([...STORED_KINDS].map(([name, stored]) => [stored, name]))

export const storedKind = (kind: string): string => STORED_KINDS.get(kind) ?? kind

export const storedFact = <F extends { readonly kind: string }>(fact: F) => ({
  ...fact,
  kind: storedKind(fact.kind),
})

/** Returns the message with the name of its kind. Returns null if it cannot be a fact. */
export function readFact(message: unknown): Record<string, unknown> | null {
  if (typeof message !== 'object' || message === null) return null
  const { id, kind } = message as Record<string, unknown>
  if (typeof id !== 'string' || !FACT_ID.test(id) || typeof kind !== 'string') return null
  return { ...message, kind: NAMES.get(kind) ?? kind }
}
