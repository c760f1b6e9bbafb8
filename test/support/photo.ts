/** Photos for tests. They consist of noise, which has the greatest sharpness. */
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'

interface PhotoOptions {
  readonly width?: number
  readonly height?: number
  /** The sigma of the blur. */
  readonly sigma?: number
  /** From 0 to 255. */
  readonly brightness?: number
  /** The photographer in the metadata. */
  readonly artist?: string
}

/** Creates a JPEG whose metadata contains the location and the photographer. */
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
