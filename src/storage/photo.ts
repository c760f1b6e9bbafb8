/** Photographs that people send: looked at, and shown to people only as new pictures without metadata. */
import pLimit from 'p-limit'
import { decodeOrRefuse, ImageRefused, openImage } from './image.ts'

/** Each image takes some hundred megabytes while it is decoded, so uploads are decoded one at a time. */
export const DECODING_LIMITS = {
  arriving: pLimit(1),
  documents: pLimit(1),
}

const SHORT_SIDE = 600
/** Of the greys of the picture at a thousand pixels: measured on crisp and on blurred text. */
const SHARP_FROM = 1
const DARK_BELOW = 40

export type PhotoInspection =
  | { readonly refused: 'unreadable' | 'small' }
  | { readonly warnings: ('blurred' | 'dark')[] }

/**
 * Returns whether the photo is refused, or its warnings. Sharpness is an estimate and a person's only document may be worn,
 * so a blurred or dark photo is accepted.
 */
export async function inspectPhoto(bytes: Buffer): Promise<PhotoInspection> {
  try {
    const image = await openImage(bytes)
    const { width, height } = await image.metadata()
    if (Math.min(width, height) < SHORT_SIDE) return { refused: 'small' }
    const grey = image.resize({ width: 1_000, height: 1_000, fit: 'inside' }).greyscale()
    const small = await openImage(await decodeOrRefuse(() => grey.png().toBuffer()))
    const { sharpness, channels } = await small.stats()
    return {
      warnings: [
        ...(sharpness < SHARP_FROM ? (['blurred'] as const) : []),
        ...((channels[0]?.mean ?? 0) < DARK_BELOW ? (['dark'] as const) : []),
      ],
    }
  } catch (error) {
    if (error instanceof ImageRefused) return { refused: 'unreadable' }
    throw error
  }
}

/** A JPEG of the size of a screen, made of the picture's pixels alone. Throws ImageRefused. */
export async function renderPhotoView(bytes: Buffer): Promise<Buffer> {
  const image = await openImage(bytes)
  const view = image.resize({ width: 1_600, height: 1_600, fit: 'inside', withoutEnlargement: true })
  return decodeOrRefuse(() => view.jpeg({ quality: 80 }).toBuffer())
}
