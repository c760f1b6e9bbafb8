// @ts-check
/** Checks the quality of a photo in the browser. The server checks the photo again, and its result counts. */
import { drawn, opened } from './canvas.js'

const SIDE = 1_000
const SHORT_SIDE = 600
/** The variance of the Laplacian from which a photo counts as sharp. */
const SHARP_FROM = 60
const DARK_BELOW = 40

/**
 * Returns the problems, or null if the browser cannot open the photo.
 * @param {File} file
 * @returns {Promise<('small' | 'blurred' | 'dark')[] | null>}
 */
export async function inspectPhoto(file) {
  const image = await opened(file)
  if (!image) return null
  const shortSide = Math.min(image.width, image.height)
  const context = drawn(image, SIDE)
  if (!context) return null
  const { width, height } = context.canvas
  const { data } = context.getImageData(0, 0, width, height)
  const grey = new Float32Array(width * height)
  let sum = 0
  for (let n = 0; n < grey.length; n++) {
    const [red = 0, green = 0, blue = 0] = data.subarray(4 * n, 4 * n + 3)
    grey[n] = 0.299 * red + 0.587 * green + 0.114 * blue
    sum += grey[n] ?? 0
  }
  return [
    ...(shortSide < SHORT_SIDE ? /** @type {const} */ (['small']) : []),
    ...(variance(grey, width, height) < SHARP_FROM ? /** @type {const} */ (['blurred']) : []),
    ...(sum / grey.length < DARK_BELOW ? /** @type {const} */ (['dark']) : []),
  ]
}

/**
 * Returns the variance of the Laplacian. A sharp photo has strong edges and so a high variance.
 * @param {Float32Array} grey
 * @param {number} width
 * @param {number} height
 */
function variance(grey, width, height) {
  let sum = 0
  let squares = 0
  let count = 0
  const at = (/** @type {number} */ n) => grey[n] ?? 0
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const n = y * width + x
      const edge = at(n - 1) + at(n + 1) + at(n - width) + at(n + width) - 4 * at(n)
      sum += edge
      squares += edge * edge
      count++
    }
  return squares / count - (sum / count) ** 2
}
