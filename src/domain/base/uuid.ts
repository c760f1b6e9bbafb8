/** Rules for IDs, which can be malformed in messages to workflows. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns whether the value is a UUID. Operators can send messages with malformed IDs by hand. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

/** Returns the time that a UUID of version 7 contains. */
export const timeOfUuid = (id: string): Date =>
  new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16))
