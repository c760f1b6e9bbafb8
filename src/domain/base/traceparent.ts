/** Rules for `traceparent`, the W3C header with which another process continues a trace. */

const TRACEPARENT = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Returns the header if it is a valid `traceparent`, or null otherwise. */
export const parseTraceparent = (header: string | undefined): string | null =>
  header !== undefined && TRACEPARENT.test(header) ? header : null

export const traceIdOf = (traceparent: string | null): string | null => traceparent?.split('-')[1] ?? null
