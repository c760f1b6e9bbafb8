/** Pictures that people send: decoded under guard, and written anew without anything but what is seen. */
import sharp, { type Sharp } from 'sharp'

// Every other decoder is more code that strangers' bytes would get into.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] })
// Pictures are decoded beside requests, and hardly ever the same one twice.
sharp.concurrency(1)
sharp.cache(false)

const MAX_PIXELS = 50_000_000
const TIMEOUT_SECONDS = 10

const LOGO = { width: 480, height: 120, fit: 'inside', withoutEnlargement: true } as const

/** The bytes are no JPEG or PNG, are broken or incomplete, or would be too large once decoded. */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused'
}

/** Whatever the decoder throws is ImageRefused. */
export async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new ImageRefused('the picture cannot be decoded', { cause })
  }
}

/** A JPEG or PNG, upright; only its header has been read. Throws ImageRefused. */
export function openImage(bytes: Buffer): Promise<Sharp> {
  return decoding(async () => {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    await image.metadata()
    return image.timeout({ seconds: TIMEOUT_SECONDS }).autoOrient()
  })
}

/** A PNG, small enough for the head of a page. Throws ImageRefused. */
export async function asLogo(bytes: Buffer): Promise<Buffer> {
  const image = await openImage(bytes)
  return decoding(() => image.resize(LOGO).png().toBuffer())
}
