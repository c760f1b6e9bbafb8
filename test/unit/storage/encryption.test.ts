/** Tests that encrypted values decrypt only unchanged, in their own place and with a configured key. */
import { createCipheriv, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDerivation, createEncryption } from '../../../src/storage/encryption.ts'

const key = () => randomBytes(32).toString('base64')
const [K1, K2, HASH_KEY] = [key(), key(), key()]
const encryption = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY })

describe('encryption', () => {
  test('decrypts every value that it encrypts', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, context) => {
        const plaintext = Buffer.from(bytes)
        expect(encryption.unseal(encryption.seal(plaintext, context), context)).toEqual(plaintext)
      }),
    )
  })
  test('decrypts every JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(encryption.unsealJson(encryption.sealJson(value, 'c'), 'c')).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
  test('hides the text and never encrypts it the same way twice', () => {
    const [a, b] = [encryption.seal('Ada Lovelace', 'c'), encryption.seal('Ada Lovelace', 'c')]
    expect(a.includes('Ada')).toBe(false)
    expect(a.equals(b)).toBe(false)
  })
  test('detects a change of any single byte', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let at = 0; at < sealed.length; at++) {
      const tampered = Buffer.from(sealed)
      tampered[at] = (tampered[at] ?? 0) ^ 1
      expect(() => encryption.unseal(tampered, 'c'), `byte ${at}`).toThrow()
    }
  })
  test('refuses truncated or extended bytes', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => encryption.unseal(sealed.subarray(0, length), 'c'), `${length} bytes`).toThrow()
    }
    expect(() => encryption.unseal(Buffer.concat([sealed, Buffer.of(0)]), 'c')).toThrow()
  })
  test('refuses bytes from another row or column', () => {
    const sealed = encryption.seal('secret', 'users.email:1')
    expect(() => encryption.unseal(sealed, 'users.email:2')).toThrow(/^users\.email:2 cannot be decrypted\. /)
    expect(() => encryption.unseal(sealed, 'users.name:1')).toThrow()
  })
  test('decrypts a streamed value like any other', () => {
    const { header, cipher } = encryption.sealing('c')
    const body = [cipher.update('large '), cipher.update('file'), cipher.final()]
    const sealed = Buffer.concat([header, ...body, cipher.getAuthTag()])
    expect(encryption.unseal(sealed, 'c').toString()).toBe('large file')
  })
})

describe('derived keys and nonces', () => {
  // These are the vectors of the C2SP specification, which cover both branches of its doubling.
  test.each([
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('match XAES-256-GCM for a key of bytes %i', (byte, context, expected) => {
    const { key, nonce } = createDerivation(Buffer.alloc(32, byte))(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'))
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
    const body = [cipher.update('XAES-256-GCM'), cipher.final(), cipher.getAuthTag()]
    expect(Buffer.concat(body).toString('hex')).toBe(expected)
  })
  test('are not affected by earlier truncated bytes', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => encryption.unseal(sealed.subarray(0, length), 'c')).toThrow()
      expect(encryption.unseal(sealed, 'c').toString()).toBe('secret')
    }
  })
  test('give each value its own key, independent of earlier derivations', () => {
    const derive = createDerivation(randomBytes(32))
    const nonces = Array.from({ length: 100 }, () => randomBytes(24))
    const keys = nonces.map((nonce) => derive(nonce).key.toString('hex'))
    expect(new Set(keys).size).toBe(100)
    expect(nonces.map((nonce) => derive(nonce).key.toString('hex'))).toEqual(keys)
  })
})

describe('encryption with several keys', () => {
  const before = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY })
  const both = createEncryption({ ENCRYPTION_KEYS: `k2:${K2}, k1:${K1}`, HASH_KEY })
  const afterwards = createEncryption({ ENCRYPTION_KEYS: `k2:${K2}`, HASH_KEY })

  test('uses the first key, and decrypts with any key', () => {
    expect(both.unseal(before.seal('old', 'c'), 'c').toString()).toBe('old')
    expect(afterwards.unseal(both.seal('new', 'c'), 'c').toString()).toBe('new')
  })
  test('reports the ID of an unknown key', () => {
    expect(() => afterwards.unseal(before.seal('old', 'c'), 'c')).toThrow('"k1"')
  })
  test('refuses a different key with the same ID', () => {
    const other = createEncryption({ ENCRYPTION_KEYS: `k1:${K2}`, HASH_KEY })
    expect(() => other.unseal(before.seal('old', 'c'), 'c')).toThrow()
  })
  test('does not change hashes if the encryption keys change', () => {
    expect(before.hash('value', 'purpose')).toEqual(afterwards.hash('value', 'purpose'))
  })
})

describe('a hash', () => {
  test('depends on the value, the purpose and the key', () => {
    const other = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY: key() })
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('v', 'api_key'))).toBe(true)
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('v', 'user_email'))).toBe(false)
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('w', 'api_key'))).toBe(false)
    expect(encryption.hash('v', 'api_key').equals(other.hash('v', 'api_key'))).toBe(false)
  })
})

describe('the configuration of keys', () => {
  const sixteen = randomBytes(16).toString('base64')
  test.each([
    ['no id', K1],
    ['an id with a space', `k 1:${K1}`],
    ['no key', 'k1:'],
    ['16 bytes', `k1:${sixteen}`],
    ['a second key of 16 bytes', `k1:${K1},k2:${sixteen}`],
    ['an empty entry', `k1:${K1},`],
  ])('refuses ENCRYPTION_KEYS with %s by name, without quoting a key', (_, keys) => {
    expect(() => createEncryption({ ENCRYPTION_KEYS: keys, HASH_KEY })).toThrow(/^ENCRYPTION_KEYS/)
    try {
      createEncryption({ ENCRYPTION_KEYS: keys, HASH_KEY })
    } catch (error) {
      for (const secret of [K1, sixteen]) expect(String(error)).not.toContain(secret)
    }
  })
  test.each([sixteen, 'not base64 at all', ''])('refuses HASH_KEY %j by name', (hashKey) => {
    expect(() => createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY: hashKey })).toThrow(/^HASH_KEY/)
  })
})
