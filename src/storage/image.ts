/** Decodes untrusted images within limits. Runs in a decoder process, because a decoder cannot be interrupted. */
import sharp, { type Metadata, type Sharp } from 'sharp'
import { readJpeg } from './jpeg.ts'
import { readPng } from './png.ts'
import { AnimationRefused, ImageRefused, TooManyPixels } from './refusal.ts'

// Disables the other decoders, because untrusted bytes could attack their code.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] })
// Decodes without a cache and in one thread, because other requests run at the same time.
sharp.concurrency(1)
sharp.cache(false)

/** The largest photo of phones with 50 megapixels, which have up to 0.7% more pixels. */
const MAX_PIXELS = 8_192 * 6_144
/** The maximum size of one decoded image, in memory. */
const MAX_DECODED_BYTES = 200_000_000
/** Photos have up to 20 scans. A decoder visits all pixels in each of them. */
const MAX_SCANS = 100
const MAX_SCANNED_PIXELS = 20 * MAX_PIXELS
const MAX_COMPRESSED_BYTES = 1_000_000

const LOGO = { width: 480, height: 120, fit: 'inside', withoutEnlargement: true } as const
/** Prevents enlargement, because an image of a few hundred bytes that is one pixel wide could grow to gigabytes. */
const SMALL = { width: 100, height: 100, fit: 'inside', withoutEnlargement: true } as const

/** Runs the work. Converts each error of the decoder to ImageRefused. */
export async function decodeOrRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ImageRefused) throw cause
    throw new ImageRefused('the image cannot be decoded', { cause })
  }
}

/** Returns the memory that decoding the image takes. A progressive image is in memory twice. */
const decodedBytes = ({ width, height, channels, depth, isProgressive }: Metadata): number =>
  width * height * channels * (depth === 'ushort' ? 2 : 1) * (isProgressive ? 2 : 1)

/** Throws if the decoder would need too much time or memory. */
function requireBounded(bytes: Buffer, metadata: Metadata): void {
  const { width, height, format } = metadata
  if (width * height > MAX_PIXELS || decodedBytes(metadata) > MAX_DECODED_BYTES)
    throw new TooManyPixels('the image has too many pixels')
  if (format === 'png') {
    const { isAnimated, compressedBytes } = readPng(bytes)
    if (isAnimated) throw new AnimationRefused('the image is animated')
    if (compressedBytes > MAX_COMPRESSED_BYTES) throw new Error('the image has too much compressed text')
  } else {
    const { scans } = readJpeg(bytes)
    if (scans > MAX_SCANS || scans * width * height > MAX_SCANNED_PIXELS)
      throw new Error('the image has too many scans')
  }
}

/** Opens a JPEG or PNG in its upright orientation. Reads only the structure. Throws ImageRefused if this fails. */
export function loadImage(bytes: Buffer): Promise<Sharp> {
  return decodeOrRefuse(async () => {
    // The header is small, so its decoder needs no limit.
    requireBounded(bytes, await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata())
    return sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient()
  })
}

/** Decodes the image completely. Throws ImageRefused if this fails. */
export async function decodeCompletely(bytes: Buffer): Promise<void> {
  const image = await loadImage(bytes)
  await decodeOrRefuse(() => image.resize(SMALL).raw().toBuffer())
}

/** Returns the logo as a PNG that fits into the page header. Throws ImageRefused if the bytes cannot be decoded. */
export async function renderLogo(bytes: Buffer): Promise<Buffer> {
  const image = await loadImage(bytes)
  return decodeOrRefuse(() => image.resize(LOGO).png().toBuffer())
}
