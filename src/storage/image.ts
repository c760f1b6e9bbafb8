/** Pictures that people send: decoded under guard, and written anew without anything but what is seen. */
import sharp, { type Metadata, type Sharp } from 'sharp'

// Every other decoder is more code that strangers' bytes would get into.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] })
// Pictures are decoded beside requests, and hardly ever the same one twice.
sharp.concurrency(1)
sharp.cache(false)

const MAX_PIXELS = 50_000_000
/** What one picture may take once it is decoded. */
const MAX_DECODED_BYTES = 200_000_000
const TIMEOUT_SECONDS = 10

const LOGO = { width: 480, height: 120, fit: 'inside', withoutEnlargement: true } as const

/** The bytes are no JPEG or PNG, are broken or incomplete, or would be too large once decoded. */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused'
}

/** Whatever the decoder throws is ImageRefused. */
export async function decodeOrRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new ImageRefused('the image cannot be decoded', { cause })
  }
}

/** What comes in several passes is held as a whole, and once more while it is put together. */
const decodedBytes = ({ width, height, channels, depth, isProgressive }: Metadata): number =>
  width * height * channels * (depth === 'ushort' ? 2 : 1) * (isProgressive ? 2 : 1)

/** A JPEG or PNG, upright; only its header has been read. Throws ImageRefused. */
export function openImage(bytes: Buffer): Promise<Sharp> {
  return decodeOrRefuse(async () => {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    if (decodedBytes(await image.metadata()) > MAX_DECODED_BYTES) throw new Error('the image is too large')
    return image.timeout({ seconds: TIMEOUT_SECONDS }).autoOrient()
  })
}

/** A PNG, small enough for the head of a page. Throws ImageRefused. */
export async function renderLogo(bytes: Buffer): Promise<Buffer> {
  const image = await openImage(bytes)
  return decodeOrRefuse(() => image.resize(LOGO).png().toBuffer())
}
