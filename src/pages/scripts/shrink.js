// @ts-check
/** Photographs as large as is needed: a phone takes more than a slow line carries in the minute that the server waits. */

const ENOUGH_BYTES = 2_000_000
/** Small print of a whole document is still read easily. */
const LONG_SIDE = 3_000

/** The picture of so many points at most on its longer side; null where the browser has none for it. @param {ImageBitmap} image @param {number} side */
export function drawn(image, side) {
  const scale = Math.min(1, side / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return context
}

/** As it is where that is small enough, or where the browser cannot open it. @param {File} file @returns {Promise<File>} */
export async function shrunk(file) {
  if (!file.type.startsWith('image/') || file.size <= ENOUGH_BYTES) return file
  const image = await createImageBitmap(file).catch(() => null)
  const canvas = image && drawn(image, LONG_SIDE)?.canvas
  /** @type {Blob | null} */
  const blob = await new Promise((resolve) =>
    canvas ? canvas.toBlob(resolve, 'image/jpeg', 0.9) : resolve(null),
  )
  if (!blob || blob.size >= file.size) return file
  return new File([blob], file.name.replace(/(\.\w+)?$/, '.jpg'), { type: blob.type })
}
