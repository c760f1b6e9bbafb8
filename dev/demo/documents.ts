/** Small documents that really open, made here so that the demo needs no files: a PDF page and a PNG picture. */
import { deflateSync } from 'node:zlib'

/** One page of text. */
export function pdf(title: string, lines: readonly string[]): Uint8Array {
  const text = [title, '', ...lines].map((line) => `(${escaped(line)}) Tj T*`).join('\n')
  const content = `BT /F1 14 Tf 20 TL 60 760 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + trailer, 'latin1')
}

const escaped = (line: string) => line.replace(/[\\()]/g, '\\$&')

const WIDTH = 320
const HEIGHT = 200

/** A picture in the form of an identity card: a dark band, a portrait's place, lines of writing. */
export function png(): Uint8Array {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const pixels = Array.from({ length: WIDTH }, (_, x) => colourAt(x, y))
    return Buffer.from([0, ...pixels.flat()]) // 0: the row is not filtered
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([8, 2, 0, 0, 0], 8) // 8 bits each of red, green and blue
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function colourAt(x: number, y: number): number[] {
  if (y < 40) return [44, 62, 102]
  if (x >= 20 && x < 100 && y >= 60 && y < 170) return [176, 184, 200]
  if (x >= 120 && x < 290 && y >= 60 && y < 170 && y % 22 < 6) return [90, 96, 110]
  return [236, 238, 244]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** Written out because `zlib.crc32` is younger than the oldest Node that is supported. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
