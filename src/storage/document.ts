/** Whether a document that companies upload can be opened. It is kept either way, and does not count when it cannot. */

import type { ContentType } from '../domain/file.ts'
import type { BlobStore } from './blob-store.ts'
import { decodeOrRefuse, ImageRefused, openImage } from './image.ts'
import { DECODING_LIMITS } from './photo.ts'

const END_OF_PDF = '%%EOF'

/** Never larger than it is: of one that is a dot wide and high as a tower a few hundred bytes would take gigabytes. */
const SMALL = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const

/**
 * Decodes an image. Checks a PDF only for its end marker, because a PDF reader in the API would run on untrusted bytes. The
 * reviewer's page draws it.
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
