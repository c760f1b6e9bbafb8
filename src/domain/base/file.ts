/** Rules for files that applicants and clients upload. */

/** The application or the person that a file belongs to. */
export type FileOwner = { readonly kybApplicationId: string } | { readonly identificationId: string }

/** The sides of an identity card. A file without a side can be a passport, or a PDF with both sides. */
export const SIDES = ['front', 'back'] as const
export type Side = (typeof SIDES)[number]

export interface FileDetails {
  readonly name: string
  readonly side?: Side | null
  /** The size, in bytes. */
  readonly size: number
  readonly contentType: string
  /** The SHA-256, in hexadecimal. */
  readonly sha256: string
  readonly warnings: readonly FileWarning[]
}

/** The warnings that a photo can cause. They do not prevent an upload. */
const IMAGE_WARNINGS = ['blurred', 'dark'] as const
export type ImageWarning = (typeof IMAGE_WARNINGS)[number]

/** Parts of a PDF that the reviewer does not see, or that Gatehouse cannot check for such parts. */
export const DOCUMENT_WARNINGS = ['scripts', 'launch', 'attachments', 'unchecked'] as const
export type DocumentWarning = (typeof DOCUMENT_WARNINGS)[number]
/** A file that is `unreadable`, which no viewer can open, or `lost`, whose bytes are no longer stored, does not count. */
const UNUSABLE = ['lost', 'unreadable'] as const
export const FILE_WARNINGS = [...UNUSABLE, ...IMAGE_WARNINGS, ...DOCUMENT_WARNINGS] as const
export type FileWarning = (typeof FILE_WARNINGS)[number]

/** Returns why the file does not count, or undefined. */
export const unusableWarning = (warnings: readonly FileWarning[]) =>
  UNUSABLE.find((warning) => warnings.includes(warning))

export interface StoredFile extends FileDetails {
  readonly id: string
  /** The session in which a person uploaded the photo and may view it again. */
  readonly sessionHash: Buffer | null
}

/** A file that is stored but not attached yet. */
export interface UploadedFile extends Omit<FileDetails, 'size' | 'warnings' | 'side'> {
  readonly id: string
  /** Whether a viewer can open the file. Always true for a person's photo, which is inspected when it is attached. */
  readonly readable: boolean
}

export const MAX_FILE_BYTES = 10 * 1024 * 1024

export const CONTENT_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const
export type ContentType = (typeof CONTENT_TYPES)[number]

/** Formats that cameras and scanners produce, and that Gatehouse does not accept. */
export type CameraFormat = 'heic' | 'tiff'

export interface FileContent {
  readonly name: string
  readonly contentType: string
  readonly bytes: Buffer
}
