/** Photographs for tests: noise is as sharp as a picture can be. */
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'

interface PhotoOptions {
  readonly width?: number
  readonly height?: number
  /** Of the blur. */
  readonly sigma?: number
  /** Of 255. */
  readonly brightness?: number
  /** Who took it, in the metadata. */
  readonly artist?: string
}

/** A JPEG that says in its metadata where and by whom it was taken. */
export function photograph(options: PhotoOptions = {}): Promise<Buffer> {
  const { width = 1_000, height = 800, sigma, brightness = 128, artist = 'plantedartist' } = options
  const grain = randomBytes(Math.ceil((width * height) / 16))
  const raw = Buffer.alloc(width * height)
  for (let n = 0; n < raw.length; n += 1) {
    const [x, y] = [n % width, Math.floor(n / width)]
    const dot = grain[Math.floor(y / 4) * Math.floor(width / 4) + Math.floor(x / 4)] ?? 0
    raw[n] = Math.min(255, Math.max(0, brightness + (dot - 128) / 2))
  }
  const image = sharp(raw, { raw: { width, height, channels: 1 } })
  const seen = sigma === undefined ? image : image.blur(sigma)
  return seen
    .jpeg({ quality: 90 })
    .withExif({ IFD0: { Artist: artist }, IFD3: { GPSLatitudeRef: 'N' } })
    .toBuffer()
}

export const photoFile = (bytes: Buffer, name = 'picture.jpg'): File =>
  new File([new Uint8Array(bytes)], name)
