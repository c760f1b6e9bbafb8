/** Whether a document that companies upload can be opened. It is kept either way, and does not count when it cannot. */
import type { BlobStore } from './blob-store.ts'
import { contentTypeOf } from './content-type.ts'
import { decoding, ImageRefused, openImage } from './image.ts'
import { LANES } from './photo.ts'

/** Where readers look for the end of a PDF. */
const END_BYTES = 1_024
const END_OF_PDF = '%%EOF'

/** A picture is decoded. A PDF is to be there to its end: what it draws, only the reviewer's page looks at. */
export const canBeOpened = (blobs: Pick<BlobStore, 'read'>, id: string): Promise<boolean> =>
  LANES.documents(async () => {
    const bytes = await blobs.read(id)
    if (contentTypeOf(bytes) === 'application/pdf') return bytes.subarray(-END_BYTES).includes(END_OF_PDF)
    try {
      const image = await openImage(bytes)
      await decoding(() => image.resize({ width: 100 }).raw().toBuffer())
      return true
    } catch (error) {
      if (error instanceof ImageRefused) return false
      throw error
    }
  })
