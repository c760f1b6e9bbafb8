/** Reads requests in the servers of tests. */
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Returns the body, or null if the caller ends the connection first, as a killed or impatient process does. */
export const wholeBody = (req: IncomingMessage): Promise<Buffer | null> => buffer(req).catch(() => null)
