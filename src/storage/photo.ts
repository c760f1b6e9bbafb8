/** Photographs that people send: looked at, and shown to people only as new pictures without metadata. */
import sharp from 'sharp'

const SHORT_SIDE = 600
const MAX_PIXELS = 50_000_000
const TIMEOUT_SECONDS = 10
/** Of the greys of the picture at a thousand pixels: measured on crisp and on blurred text. */
const SHARP_FROM = 1
const DARK_BELOW = 40

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] })

const open = (bytes: Buffer) =>
  sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS }).timeout({ seconds: TIMEOUT_SECONDS })

type Look = { readonly refused: 'unreadable' | 'small' } | { readonly warnings: ('blurred' | 'dark')[] }

/** Whether the picture can be used, and what is not good about it. */
export async function lookAt(bytes: Buffer): Promise<Look> {
  try {
    const { width, height } = await open(bytes).metadata()
    if (Math.min(width, height) < SHORT_SIDE) return { refused: 'small' }
    const grey = await open(bytes)
      .resize({ width: 1_000, height: 1_000, fit: 'inside' })
      .greyscale()
      .png()
      .toBuffer()
    const { sharpness, channels } = await open(grey).stats()
    return {
      warnings: [
        ...(sharpness < SHARP_FROM ? (['blurred'] as const) : []),
        ...((channels[0]?.mean ?? 0) < DARK_BELOW ? (['dark'] as const) : []),
      ],
    }
  } catch {
    return { refused: 'unreadable' }
  }
}

/** A JPEG of the size of a screen, made of the picture's points alone. */
export const viewOf = (bytes: Buffer): Promise<Buffer> =>
  open(bytes)
    .autoOrient()
    .resize({ width: 1_600, height: 1_600, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 80 })
    .toBuffer()
