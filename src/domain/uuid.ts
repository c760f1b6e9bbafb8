/** Ids as messages to workflows have them. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Messages can be sent by hand: then an id may be none. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)
