// @ts-check
/** Opens and draws images, if the browser returns the pixels that it has drawn. */
import { create } from './page.js'

/** The difference per channel that is not visible. Some browsers change the lowest bits to prevent fingerprinting. */
const UNSEEN = 8

/** @param {number} width @param {number} height */
function blank(width, height) {
  return create('canvas', { width, height }).getContext('2d', { willReadFrequently: true })
}

/** Returns false if the browser returns noise to prevent fingerprinting. Noise must not be sent as a photo. */
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

/**
 * Opens the file as an image. Returns null if the browser cannot open the file or draw it correctly.
 * @param {File} file
 * @returns {Promise<ImageBitmap | null>}
 */
export async function opened(file) {
  // Browsers that were released before 2021 do not have `createImageBitmap`.
  if (!file.type.startsWith('image/') || !('createImageBitmap' in window) || !isDrawingTrue()) return null
  return createImageBitmap(file).catch(() => null)
}

/**
 * Draws the image with at most `side` pixels on its longer side, and closes it, because a large photo fills the memory
 * of a phone. Returns null if the browser has no canvas.
 * @param {ImageBitmap} image
 * @param {number} side
 */
export function drawn(image, side) {
  const scale = Math.min(1, side / Math.max(image.width, image.height))
  const context = blank(Math.round(image.width * scale), Math.round(image.height * scale))
  context?.drawImage(image, 0, 0, context.canvas.width, context.canvas.height)
  image.close()
  return context
}
