/** Inspects uploads. Runs in a decoder process. */
import type { ContentType, DocumentWarning } from '../domain/base/file.ts'
import { decodeCompletely } from './image.ts'
import { firstPictureOf } from './jpeg.ts'
import { inspectPdf } from './pdf.ts'
import { isUnreadable } from './refusal.ts'

interface UploadInspection {
  /** Whether a viewer can open the file. A document that cannot be opened is stored but does not count. */
  readonly readable: boolean
  readonly warnings: DocumentWarning[]
  /** The picture that viewers show, if the file contains further ones. */
  readonly picture: Buffer | null
}

/**
 * Inspects an upload. Does not decode a person's photo, which is inspected when it is attached. Throws AnimationRefused.
 */
export async function inspectUpload(
  bytes: Buffer,
  contentType: ContentType,
  isPhoto: boolean,
): Promise<UploadInspection> {
  if (contentType === 'application/pdf') {
    const warnings = await inspectPdf(bytes)
    return { readable: warnings !== null, warnings: warnings ?? [], picture: null }
  }
  const picture = contentType === 'image/jpeg' ? firstPictureOf(bytes) : null
  const readable = isPhoto || (await isDecodable(picture ?? bytes))
  return { readable, warnings: [], picture }
}

async function isDecodable(bytes: Buffer): Promise<boolean> {
  try {
    await decodeCompletely(bytes)
    return true
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}
