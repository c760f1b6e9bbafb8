/** Detects the type of a file by its first bytes. */
import { CONTENT_TYPES, type ContentType } from '../domain/file.ts'

const SIGNATURES: Readonly<Record<ContentType, Buffer>> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/jpeg': Buffer.of(0xff, 0xd8, 0xff),
  'image/png': Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
}

export const MAX_SIGNATURE_BYTES = 8

/** Returns the type of a file, or null if the type is not accepted. */
export const contentTypeOf = (bytes: Buffer): ContentType | null =>
  CONTENT_TYPES.find((type) => bytes.subarray(0, SIGNATURES[type].length).equals(SIGNATURES[type])) ?? null
