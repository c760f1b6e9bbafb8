/** XAES-256-GCM, as C2SP specifies it: from a key and 24 random bytes follow a key and a nonce of AES-256-GCM. */
import { type Cipher, createCipheriv, createSecretKey, type KeyObject } from 'node:crypto'

export const EXTENDED_NONCE_BYTES = 24
const BLOCK_BYTES = 16
/** Of the nonce, what goes into the key; the rest is the nonce of AES-256-GCM. */
const SALT_BYTES = 12
/** Of each half of the key: its number and the label `X`. */
const [FIRST, SECOND] = [Buffer.of(0, 1, 0x58, 0), Buffer.of(0, 2, 0x58, 0)]

export type KeyDerivation = (nonce: Buffer) => { readonly key: KeyObject; readonly nonce: Buffer }

/** The key that is derived is AES-CMAC in counter mode (NIST SP 800-108) over the first half of the nonce. */
export function deriveBy(key: Buffer): KeyDerivation {
  // Whole blocks leave nothing behind in it, so that one serves all.
  const blocks = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const subkey = doubled(encrypted(blocks, Buffer.alloc(BLOCK_BYTES)))
  const mask = Buffer.concat([subkey, subkey])
  return (nonce) => {
    // Part of a block would stay in the cipher, and make every key that is derived after it another one.
    if (nonce.length !== EXTENDED_NONCE_BYTES) throw new Error('The sealed bytes are cut off.')
    const salt = nonce.subarray(0, SALT_BYTES)
    const inputs = Buffer.concat([FIRST, salt, SECOND, salt])
    for (const [at, byte] of mask.entries()) inputs[at] = (inputs[at] ?? 0) ^ byte
    // Given as bytes, Node.js 24 takes twice as long to begin with it.
    return { key: createSecretKey(encrypted(blocks, inputs)), nonce: nonce.subarray(SALT_BYTES) }
  }
}

const encrypted = (cipher: Cipher, wholeBlocks: Buffer): Buffer => cipher.update(wholeBlocks)

/** Times x in GF(2^128), as CMAC makes its subkey. */
function doubled(block: Buffer): Buffer {
  const value = BigInt(`0x${block.toString('hex')}`) << 1n
  const reduced = value >> 128n ? (value ^ 0x87n) & ((1n << 128n) - 1n) : value
  return Buffer.from(reduced.toString(16).padStart(2 * BLOCK_BYTES, '0'), 'hex')
}
