// @ts-check
/**
 * Reduces large photos, because slow connections cannot upload them within the server's timeout of 60 seconds. Converts
 * formats that only the browser can open, such as HEIC on an iPhone.
 */
import { drawn, opened } from './canvas.js'
import { ACCEPTED } from './send-file.js'

const ENOUGH_BYTES = 2_000_000
/** The length of the longer side in pixels, at which small print on a complete document remains legible. */
const LONG_SIDE = 3_000

/**
 * Returns a JPEG. Returns the file unchanged if it is accepted and small enough, or if the browser cannot open it.
 * @param {File} file
 * @returns {Promise<File>}
 */
export async function shrunk(file) {
  const isAccepted = ACCEPTED.includes(file.type)
  if (isAccepted && file.size <= ENOUGH_BYTES) return file
  const image = await opened(file)
  const canvas = image && drawn(image, LONG_SIDE)?.canvas
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) =>
    canvas ? canvas.toBlob(resolve, 'image/jpeg', 0.9) : resolve(null),
  )
  if (!blob || (isAccepted && blob.size >= file.size)) return file
  return new File([blob], file.name.replace(/(\.\w+)?$/, '.jpg'), { type: blob.type })
}
