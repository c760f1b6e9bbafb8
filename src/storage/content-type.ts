/** Detects the type of a file by its first bytes. */
import { type CameraFormat, CONTENT_TYPES, type ContentType } from '../domain/base/file.ts'

const SIGNATURES: Readonly<Record<ContentType, Buffer>> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/jpeg': Buffer.of(0xff, 0xd8, 0xff),
  'image/png': Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
}

/** Viewers accept up to a kilobyte before the header of a PDF, such as a byte-order mark. */
export const MAX_SIGNATURE_BYTES = 1_024

const hasType = (bytes: Buffer, type: ContentType): boolean =>
  bytes.subarray(0, SIGNATURES[type].length).equals(SIGNATURES[type])

/** Returns whether the file begins with the header of its type. */
export const startsWithHeader = (bytes: Buffer): boolean => CONTENT_TYPES.some((type) => hasType(bytes, type))

/** Returns the type of a file, or null if the type is not accepted. */
export const contentTypeOf = (bytes: Buffer): ContentType | null =>
  CONTENT_TYPES.find((type) => hasType(bytes, type)) ??
  (bytes.subarray(0, MAX_SIGNATURE_BYTES).includes(SIGNATURES['application/pdf']) ? 'application/pdf' : null)

/** Photos with the brand `avif` are not from a camera. */
const HEIC = /^....ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)(?!.{0,60}avif)/s
/** Both byte orders, also of large files. Raw photos begin in the same way. */
const TIFF = /^(?:II[*+]\0|MM\0[*+])/

/** Returns the format of a file from a camera or scanner that is not accepted, or null. */
export function cameraFormatOf(bytes: Buffer): CameraFormat | null {
  const start = bytes.toString('latin1', 0, 80)
  if (HEIC.test(start)) return 'heic'
  return TIFF.test(start) ? 'tiff' : null
}
