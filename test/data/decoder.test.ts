/** Tests the decoders of untrusted files in their processes. */
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createDecoder } from '../../src/storage/decoder.ts'
import { readJpeg } from '../../src/storage/jpeg.ts'
import type { PhotoRefusal } from '../../src/storage/photo.ts'
import { AnimationRefused, ImageRefused } from '../../src/storage/refusal.ts'
import {
  animatedPng,
  declaredSize,
  deepPdf,
  manyScans,
  multiPicture,
  nestedPdf,
  pngWith,
  stillJpeg,
  stillPng,
  textBomb,
} from '../support/hostile-files.ts'
import { emptyPdf, encryptedPdf, pdfOf, pdfWith } from '../support/pdf.ts'
import { photograph } from '../support/photo.ts'

/** A busy machine may take longer than the product allows. */
const decode = createDecoder({ deadlineMs: 120_000 })

const truncated = async () => {
  const photo = await photograph()
  return photo.subarray(0, photo.length / 2)
}

/** Each takes seconds to hours, or gigabytes, if it is decoded. */
const HOSTILE: readonly (readonly [string, PhotoRefusal, () => Promise<Buffer>])[] = [
  ['1,200 scans of 49 million pixels', 'large', () => manyScans(7_000, 1_200)],
  ['3,500 scans of 49 million pixels', 'large', () => manyScans(7_000, 3_500)],
  ['40 scans of 49 million pixels', 'large', () => manyScans(7_000, 40)],
  ['50,000 scans of few pixels', 'unreadable', () => manyScans(64, 50_000)],
  ['a width of 2 billion pixels', 'unreadable', () => declaredSize(2_000_000_000, 1)],
  ['60,000 × 60,000 pixels', 'large', () => declaredSize(60_000, 60_000)],
  ['51 million pixels', 'large', () => stillPng(10_200, 5_000)],
  ['2 GB of compressed text', 'unreadable', () => textBomb(2_000_000_000)],
  ['a compressed profile of 2 MB', 'unreadable', () => pngWith(['iCCP', Buffer.alloc(2_000_000)])],
  ['half of a photo', 'unreadable', truncated],
  ['only a header', 'unreadable', async () => (await stillJpeg()).subarray(0, 20)],
  ['no image', 'unreadable', async () => Buffer.from('%PDF-1.4 is no image')],
  ['nothing', 'unreadable', async () => Buffer.alloc(0)],
]

test.each([1, 10, 1_200])('counts %i scans', async (scans) => {
  const { scans: counted, end } = readJpeg(await manyScans(64, scans))
  const [one, bytes] = [readJpeg(await manyScans(64, 1)).scans, await manyScans(64, scans)]
  expect(counted).toBe(one + scans - 1)
  expect(end).toBe(bytes.length)
})

describe.each(HOSTILE)('an image with %s', (_name, refused, create) => {
  test('is refused by every decoder', async () => {
    const bytes = await create()
    await expect(decode('renderPhotoView', bytes)).rejects.toThrow(ImageRefused)
    await expect(decode('renderLogo', bytes)).rejects.toThrow(ImageRefused)
    expect(await decode('inspectPhoto', bytes)).toEqual({ refused })
    for (const type of ['image/jpeg', 'image/png'] as const)
      expect(await decode('inspectUpload', bytes, type, false)).toMatchObject({ readable: false })
  })
})

const ACCEPTED: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['a photo', () => photograph()],
  ['a progressive photo of 16 million pixels', () => manyScans(4_000, 1)],
  ['49 million pixels', () => stillJpeg(7_000, 7_000)],
  ['8,192 × 6,144 pixels, as phones call 50 megapixels', () => stillJpeg(8_192, 6_144)],
  ['a PNG with a short compressed text', () => textBomb(10_000)],
]
test.each(ACCEPTED)('decodes %s', async (_name, create) => {
  const view = await decode('renderPhotoView', await create())
  expect(Buffer.from(view).subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
})

test('refuses an animated image, because viewers show different frames', async () => {
  const bytes = await animatedPng()
  await expect(decode('inspectUpload', bytes, 'image/png', false)).rejects.toThrow(AnimationRefused)
  await expect(decode('renderLogo', bytes)).rejects.toThrow(AnimationRefused)
  expect(await decode('inspectPhoto', bytes)).toEqual({ refused: 'animated' })
})

test.each([true, false])('keeps the first of several pictures, for a photo: %s', async (isPhoto) => {
  const { first, file } = await multiPicture()
  const { picture, readable } = await decode('inspectUpload', file, 'image/jpeg', isPhoto)
  expect(readable).toBe(true)
  expect(picture && Buffer.from(picture).equals(first)).toBe(true)
  expect(await decode('inspectUpload', first, 'image/jpeg', isPhoto)).toMatchObject({ picture: null })
})

const script = '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'
const embedded = '/Names << /EmbeddedFiles << /Names [(a.txt) 6 0 R] >> >>'
const file = '<< /Type /Filespec /F (a.txt) /EF << /F 7 0 R >> >>'
const stream = '<< /Type /EmbeddedFile /Length 1 >>\nstream\na\nendstream'
const link = '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (calc.exe) >> >>'
const hidden = deflateSync(Buffer.from(`6 0 ${link}`)).toString('latin1')
const compressed = `<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${hidden.length} >>\nstream\n${hidden}\nendstream`

const ascii = compressed
  .replace('/FlateDecode', '[/ASCIIHexDecode /FlateDecode]')
  .replace(hidden, Buffer.from(hidden, 'latin1').toString('hex'))

const PDFS: readonly (readonly [string, Buffer, boolean, readonly string[]])[] = [
  ['with two pages', pdfOf('One', 'Two'), true, []],
  ['after a byte-order mark', Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), pdfOf('One')]), true, []],
  ['after an empty line', Buffer.concat([Buffer.from('\r\n'), pdfOf('One')]), true, []],
  ['after 200 bytes', Buffer.concat([Buffer.alloc(200, 'x'), pdfOf('One')]), true, []],
  ['before 2,000 zero bytes', Buffer.concat([pdfOf('One'), Buffer.alloc(2_000)]), true, []],
  ['that requires a password', encryptedPdf(), false, []],
  ['without pages', emptyPdf(), false, []],
  ['of 15 bytes', Buffer.from('%PDF-1.4\n%%EOF\n'), false, []],
  ['without its end', pdfOf('One').subarray(0, 300), false, []],
  [
    'of zero bytes after its header',
    Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(5_000)]),
    false,
    [],
  ],
  ['with a script', pdfWith(script), true, ['scripts']],
  [
    'with an escaped name of a script',
    pdfWith(script.replace('/JavaScript', '/Java#53cript')),
    true,
    ['scripts'],
  ],
  ['with an attachment', pdfWith(embedded, file, stream), true, ['attachments']],
  ['that starts a program', pdfWith('', link), true, ['launch']],
  ['that starts a program, in a compressed object', pdfWith('', compressed), true, ['launch']],
  [
    'with an attached file on a page',
    pdfWith('', '<< /Type /Annot /Subtype /FileAttachment >>'),
    true,
    ['attachments'],
  ],
  [
    'with a file without a type',
    pdfWith('', '<< /Type /Filespec /EF << /F 7 0 R >> >>'),
    true,
    ['attachments'],
  ],
  ['with a form that replaces its pages', pdfWith('/AcroForm << /XFA [] >>'), true, ['scripts']],
  ['with a page to open at', pdfWith('/OpenAction [4 0 R /Fit]'), true, []],
  ['with objects that are compressed in another way', pdfWith('', ascii), true, ['unchecked']],
  ['with an array of 100,000 levels', nestedPdf(100_000), false, []],
]
test.each(PDFS)('inspects a PDF %s', async (_name, bytes, readable, warnings) => {
  const inspected = await decode('inspectUpload', bytes, 'application/pdf', false)
  expect(inspected).toEqual({ readable, warnings, picture: null })
})

test('opens a PDF with a page tree of 200,000 levels, or refuses it, and then the next one', async () => {
  const inspect = (bytes: Buffer) => decode('inspectUpload', bytes, 'application/pdf', false)
  const [deep] = await Promise.allSettled([inspect(deepPdf(200_000))])
  if (deep.status === 'rejected') expect(deep.reason).toBeInstanceOf(ImageRefused)
  expect(await inspect(pdfOf('One'))).toMatchObject({ readable: true })
})

const spaces = deflateSync(Buffer.alloc(4_900_000, ' ')).toString('latin1')
const CROWDED: readonly (readonly [string, string])[] = [
  ['200,000 names of object streams before one stream', `${'/ObjStm '.repeat(200_000)}stream\n${spaces}`],
  ['200,000 names of object streams without a stream', '/ObjStm '.repeat(200_000)],
  ['400,000 object streams that cannot be read', '/ObjStm stream\n\x78\x9c '.repeat(400_000)],
  ['1,000 object streams of 5 MB', `/ObjStm stream\n${spaces}\n`.repeat(1_000)],
]
test.each(CROWDED)('inspects a PDF with %s', async (_name, objects) => {
  const bytes = Buffer.concat([Buffer.from(objects, 'latin1'), Buffer.from('\n%%EOF\n')])
  const pdf = Buffer.concat([pdfOf('One').subarray(0, -6), bytes])
  expect(await decode('inspectUpload', pdf, 'application/pdf', false)).toMatchObject({ readable: true })
})

test.each([
  ['takes too long', { deadlineMs: 1 }, 'too slow'],
  ['takes too much memory', { maxResidentBytes: 1 }, 'too much memory'],
])(
  'stops the process if a file %s, and decodes the next file in another one',
  async (_name, limits, reason) => {
    await expect(
      createDecoder(limits)('inspectUpload', deepPdf(200_000), 'application/pdf', false),
    ).rejects.toThrow(reason)
    expect(await decode('inspectPhoto', await photograph())).toEqual({ warnings: [] })
  },
)
