/** Logos for tests: a valid one, and one that must not be decoded. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

const filled = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } })

/** Returns a bar and a square on a transparent background, with a comment in the metadata. */
export async function logoPng(width = 960, height = 240): Promise<Buffer> {
  const unit = Math.floor(height / 4)
  const square = await filled(unit * 2, unit * 2, '#7a1f5c')
    .png()
    .toBuffer()
  const bar = await filled(width - unit * 4, unit, '#1a2230')
    .png()
    .toBuffer()
  return filled(width, height, '#00000000')
    .composite([
      { input: square, left: unit, top: unit },
      { input: bar, left: unit * 4, top: Math.floor(unit * 1.5) },
    ])
    .withExif({ IFD0: { Copyright: 'made by somebody' } })
    .png()
    .toBuffer()
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** Returns a small file that decodes to a large black square. */
export function hugePng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // One bit per pixel.
  header[8] = 1
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
