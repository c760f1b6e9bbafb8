/** Inspects uploaded photos, and renders photos without metadata for viewing. */
import { decodeOrRefuse, loadImage } from './image.ts'
import { AnimationRefused, ImageRefused, TooManyPixels } from './refusal.ts'

const SHORT_SIDE = 600
/**
 * The thresholds for a greyscale image whose longer side has 1,000 pixels. They were measured on sharp and blurred
 * text.
 */
const SHARP_FROM = 1
const DARK_BELOW = 40

export type PhotoRefusal = 'unreadable' | 'small' | 'large' | 'animated'

export type PhotoInspection =
  | { readonly refused: PhotoRefusal }
  | { readonly warnings: ('blurred' | 'dark')[] }

/**
 * Returns the warnings, or the reason for a refusal. Accepts blurred and dark photos, because sharpness is an estimate
 * and a person's only document may be worn.
 */
export async function inspectPhoto(bytes: Buffer): Promise<PhotoInspection> {
  try {
    const image = await loadImage(bytes)
    const { width, height } = await image.metadata()
    if (Math.min(width, height) < SHORT_SIDE) return { refused: 'small' }
    const grey = image.resize({ width: 1_000, height: 1_000, fit: 'inside' }).greyscale()
    const small = await loadImage(await decodeOrRefuse(() => grey.png().toBuffer()))
    const { sharpness, channels } = await small.stats()
    return {
      warnings: [
        ...(sharpness < SHARP_FROM ? (['blurred'] as const) : []),
        ...((channels[0]?.mean ?? 0) < DARK_BELOW ? (['dark'] as const) : []),
      ],
    }
  } catch (error) {
    if (error instanceof AnimationRefused) return { refused: 'animated' }
    if (error instanceof TooManyPixels) return { refused: 'large' }
    if (error instanceof ImageRefused) return { refused: 'unreadable' }
    throw error
  }
}

/** Renders a photo as a screen-size JPEG that contains only the pixels. Throws ImageRefused if this fails. */
export async function renderPhotoView(bytes: Buffer): Promise<Buffer> {
  const image = await loadImage(bytes)
  const view = image.resize({ width: 1_600, height: 1_600, fit: 'inside', withoutEnlargement: true })
  return decodeOrRefuse(() => view.jpeg({ quality: 80 }).toBuffer())
}
