/** Files that are valid at first sight, and that take long or much memory, or show different pictures to viewers. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import sharp from 'sharp'

const SOS = Buffer.of(0xff, 0xda)
const EOI = Buffer.of(0xff, 0xd9)

/** Returns a progressive JPEG whose last scan is repeated. */
export async function manyScans(pixels: number, scans: number): Promise<Buffer> {
  const image = await progressive(pixels)
  const last = image.lastIndexOf(SOS)
  const scan = image.subarray(last, image.length - EOI.length)
  return Buffer.concat([image.subarray(0, last), ...Array.from({ length: scans }, () => scan), EOI])
}

const images = new Map<number, Promise<Buffer>>()
function progressive(pixels: number): Promise<Buffer> {
  const image = images.get(pixels) ?? blank(pixels, pixels).jpeg({ progressive: true }).toBuffer()
  images.set(pixels, image)
  return image
}

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#777' }, limitInputPixels: false })

export const stillPng = (width = 700, height = 700): Promise<Buffer> => blank(width, height).png().toBuffer()
export const stillJpeg = (width = 700, height = 700): Promise<Buffer> =>
  blank(width, height).jpeg().toBuffer()

/** Returns this number of zeros in the zlib format. Compresses at most ten million of them, and repeats the result. */
function compressedZeros(bytes: number): Buffer {
  const size = Math.min(bytes, 10_000_000)
  const block = deflateRawSync(Buffer.alloc(size), { finishFlush: constants.Z_FULL_FLUSH })
  const [header, end, checksum] = [Buffer.of(0x78, 0x9c), Buffer.of(3, 0), Buffer.alloc(4)]
  // Adler-32
  checksum.writeUInt32BE((bytes % 65_521) * 65_536 + 1)
  return Buffer.concat([header, ...Array<Buffer>(bytes / size).fill(block), end, checksum])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [size, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, checksum])
}

/** Returns a PNG with further chunks after its header. */
export async function pngWith(
  ...chunks: readonly (readonly [type: string, data: Buffer])[]
): Promise<Buffer> {
  const image = await stillPng()
  const afterHeader = 8 + 25
  return Buffer.concat([
    image.subarray(0, afterHeader),
    ...chunks.map(([type, data]) => chunk(type, data)),
    image.subarray(afterHeader),
  ])
}

/** Returns a PNG that declares a second frame, which browsers show and other viewers do not. */
export const animatedPng = (): Promise<Buffer> => {
  const frames = Buffer.alloc(8)
  frames.writeUInt32BE(2)
  return pngWith(['acTL', frames])
}

/** Returns a PNG with a compressed text that grows to the given size. */
export const textBomb = (bytes: number): Promise<Buffer> =>
  pngWith(['zTXt', Buffer.concat([Buffer.from('Comment\0\0'), compressedZeros(bytes)])])

/** Returns a PNG that declares a size without the pixels for it. */
export async function declaredSize(width: number, height: number): Promise<Buffer> {
  const image = await stillPng()
  const header = Buffer.from(image.subarray(16, 29))
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  return Buffer.concat([image.subarray(0, 8), chunk('IHDR', header), image.subarray(33)])
}

/** Returns a JPEG with the list of further pictures that phones write, and a second picture after the first one. */
export async function multiPicture(): Promise<{ first: Buffer; file: Buffer }> {
  const [first, second] = await Promise.all([stillJpeg(700, 700), stillJpeg(900, 900)])
  const list = Buffer.concat([Buffer.from('MPF\0'), Buffer.alloc(82)])
  const size = Buffer.alloc(2)
  size.writeUInt16BE(list.length + 2)
  const segment = Buffer.concat([Buffer.of(0xff, 0xe2), size, list])
  return { first, file: Buffer.concat([first.subarray(0, 2), segment, first.subarray(2), second]) }
}

/** Returns a PDF whose page tree is nested this deeply. */
export function deepPdf(depth: number): Buffer {
  const objects = Array.from(
    { length: depth },
    (_, index) => `${index + 2} 0 obj\n<< /Type /Pages /Kids [${index + 3} 0 R] /Count 1 >>\nendobj\n`,
  )
  const page = `${depth + 2} 0 obj\n<< /Type /Page /MediaBox [0 0 9 9] >>\nendobj\n`
  return Buffer.from(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n${objects.join('')}${page}trailer\n<< /Root 1 0 R >>\n%%EOF\n`,
  )
}

/** Returns a PDF with an array that is nested this deeply. */
export const nestedPdf = (depth: number): Buffer =>
  Buffer.from(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages ${'['.repeat(depth)}${']'.repeat(depth)} >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n`,
  )

/** Returns a PDF whose table of objects grows to gigabytes. */
export function tableBomb(): Buffer {
  const table = compressedZeros(360_000_000)
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.5\n4 0 obj\n<< /Type /XRef /W [1 4 1] /Size 60000000 /Root 1 0 R /Length ${table.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    table,
    Buffer.from('\nendstream\nendobj\nstartxref\n9\n%%EOF\n'),
  ])
}

/** The beginnings of files from cameras and scanners. */
export const cameraFiles = {
  heic: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'.padEnd(2_000, '\0'), 'latin1'),
  tiff: Buffer.from('II*\0'.padEnd(2_000, '\0'), 'latin1'),
}
