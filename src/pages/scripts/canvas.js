// @ts-check
/** Pictures as the browser opens and draws them, where it says truly what it has drawn. */

/** Some guard against being recognized by the lowest bits of what is drawn, which nobody sees. */
const UNSEEN = 8

/** @param {number} width @param {number} height */
function blank(width, height) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  return canvas.getContext('2d', { willReadFrequently: true })
}

/** Some give back noise for what was drawn, so that they are not recognized by it: it is not to be sent for a picture. */
export function isDrawingTrue() {
  const side = 16
  const context = blank(side, side)
  if (!context) return false
  const colourAt = (/** @type {number} */ x) => [16 * x, 255 - 16 * x, 128, 255]
  for (let x = 0; x < side; x++) {
    const [red, green, blue] = colourAt(x)
    context.fillStyle = `rgb(${red}, ${green}, ${blue})`
    context.fillRect(x, 0, 1, side)
  }
  const { data } = context.getImageData(0, 0, side, side)
  return data.every((value, n) => {
    const drawn = colourAt(Math.floor(n / 4) % side)[n % 4] ?? 0
    return Math.abs(value - drawn) <= UNSEEN
  })
}

/** Null where the browser cannot open it, or would draw something else. @param {File} file @returns {Promise<ImageBitmap | null>} */
export async function opened(file) {
  // Missing in browsers of before 2021.
  if (!file.type.startsWith('image/') || !('createImageBitmap' in window) || !isDrawingTrue()) return null
  return createImageBitmap(file).catch(() => null)
}

/** The picture of so many points at most on its longer side; null where the browser has none for it. @param {ImageBitmap} image @param {number} side */
export function drawn(image, side) {
  const scale = Math.min(1, side / Math.max(image.width, image.height))
  const context = blank(Math.round(image.width * scale), Math.round(image.height * scale))
  context?.drawImage(image, 0, 0, context.canvas.width, context.canvas.height)
  return context
}
