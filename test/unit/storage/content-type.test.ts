/** Tests the detection of file types. */
import { expect, test } from 'vitest'
import { cameraFormatOf, contentTypeOf } from '../../../src/storage/content-type.ts'

const box = (brands: string) => `\0\0\0\x18ftyp${brands}`

const FORMATS: readonly (readonly [start: string, format: string | null])[] = [
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1'].map(
    (brand) => [box(brand), 'heic'] as const,
  ),
  [box('mif1\0\0\0\0mif1heicmiaf'), 'heic'],
  [box('mif1\0\0\0\0mif1avifmiaf'), null],
  [box('avif'), null],
  [box('isom'), null],
  [box('qt  '), null],
  ['II*\0', 'tiff'],
  ['MM\0*', 'tiff'],
  ['II+\0', 'tiff'],
  ['MM\0+', 'tiff'],
  ['II', null],
  ['GIF89a', null],
  ['RIFF\0\0\0\0WEBP', null],
  ['BM', null],
  ['PK\x03\x04', null],
  ['', null],
]
test.each(FORMATS)('identifies %j as %s, which is not accepted', (start, format) => {
  const bytes = Buffer.from(start, 'latin1')
  expect(cameraFormatOf(bytes)).toBe(format)
  expect(contentTypeOf(bytes)).toBeNull()
})
