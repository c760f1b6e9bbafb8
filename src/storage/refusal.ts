/** Errors of files that are not decoded. */

/**
 * Thrown if the bytes are not an accepted image, are damaged or incomplete, or would take too long or too much memory to
 * decode.
 */
export class ImageRefused extends Error {
  override readonly name: string = 'ImageRefused'
}

/** Thrown if the image has several frames, because viewers show different ones. */
export class AnimationRefused extends ImageRefused {
  override readonly name = 'AnimationRefused'
}

/** Thrown if the image has too many pixels, although it may be intact. */
export class TooManyPixels extends ImageRefused {}

/** Returns whether the file cannot be opened, because it is damaged or takes too long or too much memory. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof ImageRefused && !(error instanceof AnimationRefused)
