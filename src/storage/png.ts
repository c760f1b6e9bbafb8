/** Reads the structure of a PNG without decoding it. */

const SIGNATURE_BYTES = 8
/** The length and the type before the data of a chunk, and the checksum after it. */
const [HEAD_BYTES, CHECKSUM_BYTES] = [8, 4]
/** Compressed chunks next to the pixels, which can grow to a thousand times their size. */
const COMPRESSED = new Set(['iCCP', 'zTXt', 'iTXt'])

interface PngStructure {
  /** Whether the file contains further frames, which some viewers show instead of the first one. */
  readonly isAnimated: boolean
  /** The size of the compressed chunks next to the pixels, in bytes. */
  readonly compressedBytes: number
}

/** Returns the structure of the file. Reads only the heads of the chunks. */
export function readPng(bytes: Buffer): PngStructure {
  let isAnimated = false
  let compressedBytes = 0
  for (let at = SIGNATURE_BYTES; at + HEAD_BYTES <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    if (type === 'acTL' || type === 'fdAT') isAnimated = true
    if (COMPRESSED.has(type)) compressedBytes += size
    at += HEAD_BYTES + size + CHECKSUM_BYTES
  }
  return { isAnimated, compressedBytes }
}
