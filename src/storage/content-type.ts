/** A file is what its first bytes say it is. */

const SIGNATURES = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/jpeg', Buffer.of(0xff, 0xd8, 0xff)],
  ['image/png', Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)],
] as const

export type ContentType = (typeof SIGNATURES)[number][0]

/** What files can be. */
export const CONTENT_TYPES = SIGNATURES.map(([type]) => type)

export const LONGEST_SIGNATURE = 8

/** Null when it is nothing that is accepted. */
export const contentTypeOf = (bytes: Buffer): ContentType | null =>
  SIGNATURES.find(([, start]) => bytes.subarray(0, start.length).equals(start))?.[0] ?? null
