/** Decodes uploaded images within limits, and creates new images that contain only the visible pixels. */
import sharp, { type Metadata, type Sharp } from 'sharp'

// Disables the other decoders, because untrusted bytes could attack their code.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] })
// Decodes without a cache and in one thread, because other requests run at the same time.
sharp.concurrency(1)
sharp.cache(false)

const MAX_PIXELS = 50_000_000
/** The maximum size of one decoded image, in memory. */
const MAX_DECODED_BYTES = 200_000_000
const TIMEOUT_SECONDS = 10

const LOGO = { width: 480, height: 120, fit: 'inside', withoutEnlargement: true } as const

/** Thrown if the bytes are not a JPEG or PNG, are damaged or incomplete, or would be too large when decoded. */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused'
}

/** Runs the work. Converts each error of the decoder to ImageRefused. */
export async function decodeOrRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new ImageRefused('the image cannot be decoded', { cause })
  }
}

/** Returns the memory that decoding the image takes. A progressive image is in memory twice. */
const decodedBytes = ({ width, height, channels, depth, isProgressive }: Metadata): number =>
  width * height * channels * (depth === 'ushort' ? 2 : 1) * (isProgressive ? 2 : 1)

/** Opens a JPEG or PNG in its upright orientation. Reads only the header. Throws ImageRefused if this fails. */
export function openImage(bytes: Buffer): Promise<Sharp> {
  return decodeOrRefuse(async () => {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    if (decodedBytes(await image.metadata()) > MAX_DECODED_BYTES) throw new Error('the image is too large')
    return image.timeout({ seconds: TIMEOUT_SECONDS }).autoOrient()
  })
}

/** Returns the logo as a PNG that fits into the page header. Throws ImageRefused if the bytes cannot be decoded. */
export async function renderLogo(bytes: Buffer): Promise<Buffer> {
  const image = await openImage(bytes)
  return decodeOrRefuse(() => image.resize(LOGO).png().toBuffer())
}
