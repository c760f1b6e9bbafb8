// @ts-check
/** Photographs as large as is needed: a phone takes more than a slow line carries in the minute that the server waits. */
import { drawn, opened } from './canvas.js'

const ENOUGH_BYTES = 2_000_000
/** Small print of a whole document is still read easily. */
const LONG_SIDE = 3_000

/** As it is where that is small enough, or where the browser cannot open it. @param {File} file @returns {Promise<File>} */
export async function shrunk(file) {
  if (file.size <= ENOUGH_BYTES) return file
  const image = await opened(file)
  const canvas = image && drawn(image, LONG_SIDE)?.canvas
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) =>
    canvas ? canvas.toBlob(resolve, 'image/jpeg', 0.9) : resolve(null),
  )
  if (!blob || blob.size >= file.size) return file
  return new File([blob], file.name.replace(/(\.\w+)?$/, '.jpg'), { type: blob.type })
}
