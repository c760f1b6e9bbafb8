/** Reads the structure of a JPEG without decoding it. */

const MARKER = 0xff
const [FRAME, RESTART, START, END, SCAN, APP2] = [0xc0, 0xd0, 0xd8, 0xd9, 0xda, 0xe2] as const
/** The identifier of the segment that lists the further pictures of a file. */
const MULTI_PICTURE = Buffer.from('MPF\0')

interface Range {
  readonly from: number
  readonly to: number
}

interface JpegStructure {
  /** The number of scans, each of which a decoder applies to all pixels. */
  readonly scans: number
  /** The segments that list further pictures. */
  readonly multiPicture: readonly Range[]
  /** The position after the first picture. */
  readonly end: number
}

/** Returns the structure of the first picture in the file. Reads each byte once. */
export function readJpeg(bytes: Buffer): JpegStructure {
  const multiPicture: Range[] = []
  let scans = 0
  let at = bytes.indexOf(MARKER)
  while (at >= 0 && at + 1 < bytes.length) {
    const marker = bytes[at + 1] as number
    if (marker === END) return { scans, multiPicture, end: at + 2 }
    if (marker === SCAN) scans += 1
    const hasLength = marker < MARKER && (marker > END || (marker >= FRAME && marker < RESTART))
    const to = hasLength && at + 4 <= bytes.length ? at + 2 + bytes.readUInt16BE(at + 2) : at + 2
    if (marker === APP2 && bytes.subarray(at + 4, at + 8).equals(MULTI_PICTURE))
      multiPicture.push({ from: at, to })
    // Skips compressed data, in which 0 and restart markers follow the byte of a marker.
    at = bytes.indexOf(MARKER, marker === MARKER ? at + 1 : to)
    while (at >= 0 && isData(bytes[at + 1])) at = bytes.indexOf(MARKER, at + 2)
  }
  return { scans, multiPicture, end: bytes.length }
}

const isData = (next: number | undefined): boolean =>
  next === 0 || (next !== undefined && next >= RESTART && next < START)

/**
 * Returns the first picture of a file with several pictures, such as a photo with a brightness map, or null if there is
 * only one. Viewers show only the first picture.
 */
export function firstPictureOf(bytes: Buffer): Buffer | null {
  const { multiPicture, end } = readJpeg(bytes)
  const rest = bytes.subarray(end)
  const hasSecond = rest.includes(Buffer.of(MARKER, START, MARKER))
  if (multiPicture.length === 0 && !hasSecond) return null
  const kept: Buffer[] = []
  let from = 0
  for (const range of multiPicture) {
    kept.push(bytes.subarray(from, range.from))
    from = range.to
  }
  return Buffer.concat([...kept, bytes.subarray(from, end)])
}
