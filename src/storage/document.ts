/**
 * Checks whether an uploaded company document can be opened. Documents that cannot be opened are stored but do not
 * count.
 */

import type { ContentType } from '../domain/file.ts'
import type { BlobStore } from './blob-store.ts'
import { decodeOrRefuse, ImageRefused, openImage } from './image.ts'
import { DECODING_LIMITS } from './photo.ts'

const END_OF_PDF = '%%EOF'

/** Prevents enlargement, because an image of a few hundred bytes that is one pixel wide could grow to gigabytes. */
const SMALL = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const

/**
 * Returns whether the document can be opened. Decodes an image completely. Checks only the end marker of a PDF, because
 * a PDF reader in the API would process untrusted bytes. The PDF is opened only on the reviewer's page.
 */
export async function isReadableDocument(
  blobs: Pick<BlobStore, 'read'>,
  id: string,
  { contentType, end }: { contentType: ContentType; end: Buffer },
  inTurn: <T>(look: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  if (contentType === 'application/pdf') return end.includes(END_OF_PDF)
  const look = async () => {
    try {
      const image = await openImage(await blobs.read(id))
      await decodeOrRefuse(() => image.resize(SMALL).raw().toBuffer())
      return true
    } catch (error) {
      if (error instanceof ImageRefused) return false
      throw error
    }
  }
  return inTurn(() => DECODING_LIMITS.documents(look))
}
