/** Rules for files that applicants and clients upload. */
import type { ImageWarning } from './identification/person-form.ts'

/** The application or the person that a file belongs to. */
export type FileOwner = { readonly kybApplicationId: string } | { readonly identificationId: string }

export interface FileDetails {
  readonly name: string
  /** The size, in bytes. */
  readonly size: number
  readonly contentType: string
  /** The SHA-256, in hexadecimal. */
  readonly sha256: string
  readonly warnings: readonly FileWarning[]
}

/** Parts of a PDF that the reviewer does not see. */
export const DOCUMENT_WARNINGS = ['scripts', 'launch', 'attachments'] as const
export type DocumentWarning = (typeof DOCUMENT_WARNINGS)[number]
export type FileWarning = ImageWarning | DocumentWarning

export interface StoredFile extends FileDetails {
  readonly id: string
  /** The session in which a person uploaded the photo and may view it again. */
  readonly sessionHash: Buffer | null
}

/** A file that is stored but not attached yet. */
export interface UploadedFile extends Omit<FileDetails, 'size' | 'warnings'> {
  readonly id: string
  /** Whether a viewer can open the file. Always true for a person's photo, which is inspected when it is attached. */
  readonly readable: boolean
}

export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** The accepted file types. */
export const CONTENT_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const
export type ContentType = (typeof CONTENT_TYPES)[number]

/** A file with its decrypted bytes. */
export interface FileContent {
  readonly name: string
  readonly contentType: string
  readonly bytes: Buffer
}
