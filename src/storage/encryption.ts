/** Encrypts personal data and secrets (XAES-256-GCM), and hashes values that are only compared. */

import { type CipherGCM, createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../process/config.ts'
import { SettingsError } from '../process/settings-error.ts'

const NONCE_BYTES = 24
const TAG_BYTES = 16

export interface Encryption {
  /** The ID of the key that encrypts. All other keys only decrypt. */
  readonly keyId: string
  /**
   * Encrypts a value. `context` names the field and its owner (`kyb_applications.content:<id>`), so that the bytes
   * cannot be decrypted in another row or column.
   */
  seal(plaintext: string | Buffer, context: string): Buffer
  /**
   * Decrypts a value. Throws an error that names the context if the bytes were changed, the context differs or the key
   * is unknown.
   */
  unseal(sealed: Buffer, context: string): Buffer
  /** Encrypts data that is too large for memory. Write `header`, then the output of `cipher`, and then its tag. */
  sealing(context: string): { header: Buffer; cipher: CipherGCM }
  sealJson(value: unknown, context: string): Buffer
  unsealJson<T>(sealed: Buffer, context: string): T
  /** Returns a keyed hash for lookups and comparisons. `purpose` separates the hashes of equal values. */
  hash(value: string, purpose: string): Buffer
}

/** Thrown for bytes that are damaged, that belong to another field or owner, or whose key is not configured. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

/**
 * Creates the encryption. Encrypted bytes consist of the length of the key ID, the key ID, the nonce, the ciphertext
 * and the tag.
 */
export function createEncryption(config: Pick<Config, 'ENCRYPTION_KEYS' | 'HASH_KEY'>): Encryption {
  const keys = parseKeys(config.ENCRYPTION_KEYS)
  const hashKey = parseKey(config.HASH_KEY, 'HASH_KEY')
  const [currentId, deriveCurrent] = [...keys][0] as [string, Derivation]

  const sealing = (context: string) => {
    const extendedNonce = randomBytes(NONCE_BYTES)
    const { key, nonce } = deriveCurrent(extendedNonce)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(Buffer.from(context))
    return { header: Buffer.concat([keyHeader(currentId), extendedNonce]), cipher }
  }
  const seal = (plaintext: string | Buffer, context: string) => {
    const { header, cipher } = sealing(context)
    return Buffer.concat([header, cipher.update(Buffer.from(plaintext)), cipher.final(), cipher.getAuthTag()])
  }
  const unsealOrFail = (sealed: Buffer, context: string) => {
    const id = keyIdOf(sealed)
    const derive = keys.get(id)
    if (!derive) throw new Error(`No encryption key with the ID ${JSON.stringify(id)} is configured.`)
    const idEnd = idEndOf(sealed)
    const body = idEnd + NONCE_BYTES
    const { key, nonce } = derive(sealed.subarray(idEnd, body))
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const plaintext = decipher.update(sealed.subarray(body, -TAG_BYTES))
    // Throws if the tag does not fit. Returns no bytes, because GCM needs no padding.
    decipher.final()
    return plaintext
  }
  const unseal = (sealed: Buffer, context: string) => {
    try {
      return unsealOrFail(sealed, context)
    } catch (error) {
      throw new DecryptionError(`${context} cannot be decrypted. ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  return {
    keyId: currentId,
    seal,
    unseal,
    sealing,
    sealJson: (value, context) => seal(JSON.stringify(value), context),
    unsealJson: (sealed, context) => JSON.parse(unseal(sealed, context).toString('utf8')),
    hash: (value, purpose) => createHmac('sha256', hashKey).update(`${purpose}:${value}`).digest(),
  }
}

/** Returns the ID of the key that encrypted the bytes. The bytes start with this ID. */
export const keyIdOf = (sealed: Buffer): string => sealed.toString('utf8', 1, idEndOf(sealed))

const idEndOf = (sealed: Buffer): number => 1 + (sealed[0] ?? 0)

/** Returns the first bytes of all data that the key encrypts. */
export function keyHeader(keyId: string): Buffer {
  const id = Buffer.from(keyId)
  return Buffer.concat([Buffer.of(id.length), id])
}

/** The size of the nonce's first part, from which the key is derived. The second part is the nonce of AES-256-GCM. */
const SALT_BYTES = 12

type Derivation = (extendedNonce: Buffer) => { key: Buffer; nonce: Buffer }

/**
 * Returns the function that derives a key and a nonce for AES-256-GCM from 24 random bytes, as C2SP specifies for
 * XAES-256-GCM.
 */
export function createDerivation(key: Buffer): Derivation {
  // Uses one cipher for all values, because ECB passes no state from one block to the next.
  const aes = createCipheriv('aes-256-ecb', key, null)
  // The mask that AES-CMAC adds to a block: the encrypted zero block, doubled in GF(2¹²⁸).
  const zero = aes.update(Buffer.alloc(16))
  const carry = (n: number) => (zero[n] ?? 0) >> 7
  const mask = zero.map((byte, n) => (byte << 1) ^ (n < 15 ? carry(n + 1) : carry(0) * 0x87))
  const unsalted = Buffer.concat(
    [1, 2].map((half) => Buffer.from(mask.map((byte, n) => byte ^ ([0, half, 0x58][n] ?? 0)))),
  )
  return (extendedNonce) => {
    if (extendedNonce.length !== NONCE_BYTES) throw new Error('The encrypted bytes are truncated.')
    const blocks = Buffer.from(unsalted)
    for (let n = 0; n < SALT_BYTES; n++)
      for (const block of [4, 20]) blocks[block + n] = (blocks[block + n] ?? 0) ^ (extendedNonce[n] ?? 0)
    return {
      key: aes.update(blocks),
      nonce: extendedNonce.subarray(SALT_BYTES),
    }
  }
}

function parseKeys(text: string): Map<string, Derivation> {
  return new Map(
    text.split(',').map((entry) => {
      const [, id, key] = /^([A-Za-z0-9_-]{1,32}):(.+)$/.exec(entry.trim()) ?? []
      if (!id || !key) throw new SettingsError('ENCRYPTION_KEYS: each key must be <id>:<32 bytes in base64>.')
      return [id, createDerivation(parseKey(key, `ENCRYPTION_KEYS (${id})`))]
    }),
  )
}

function parseKey(base64: string, name: string): Buffer {
  const key = Buffer.from(base64, 'base64')
  if (key.length !== 32) throw new SettingsError(`${name}: the key must be 32 bytes in base64.`)
  return key
}
