/** What is sealed opens only unchanged, in its own place and with a key that is configured. */
import { createCipheriv, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEncryption, derive } from '../../src/storage/encryption.ts'

const key = () => randomBytes(32).toString('base64')
const [K1, K2, HASH_KEY] = [key(), key(), key()]
const encryption = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY })

describe('seal and open', () => {
  test('whatever is sealed opens again', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, context) => {
        const plaintext = Buffer.from(bytes)
        expect(encryption.open(encryption.seal(plaintext, context), context)).toEqual(plaintext)
      }),
    )
  })
  test('whatever JSON can say opens as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(encryption.openJson(encryption.sealJson(value, 'c'), 'c')).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
  test('the sealed bytes do not contain the text, and the same text is never sealed alike', () => {
    const [a, b] = [encryption.seal('Ada Lovelace', 'c'), encryption.seal('Ada Lovelace', 'c')]
    expect(a.includes('Ada')).toBe(false)
    expect(a.equals(b)).toBe(false)
  })
  test('a change of any single byte is noticed', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let at = 0; at < sealed.length; at++) {
      const tampered = Buffer.from(sealed)
      tampered[at] = (tampered[at] ?? 0) ^ 1
      expect(() => encryption.open(tampered, 'c'), `byte ${at}`).toThrow()
    }
  })
  test('bytes cut off at any place, or appended, do not open', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => encryption.open(sealed.subarray(0, length), 'c'), `${length} bytes`).toThrow()
    }
    expect(() => encryption.open(Buffer.concat([sealed, Buffer.of(0)]), 'c')).toThrow()
  })
  test('sealed bytes moved to another row or column do not open', () => {
    const sealed = encryption.seal('secret', 'users.email:1')
    expect(() => encryption.open(sealed, 'users.email:2')).toThrow(/^users\.email:2 cannot be decrypted\. /)
    expect(() => encryption.open(sealed, 'users.name:1')).toThrow()
  })
  test('what is sealed as a stream opens like what is sealed at once', () => {
    const { header, cipher } = encryption.sealing('c')
    const body = [cipher.update('large '), cipher.update('file'), cipher.final()]
    const sealed = Buffer.concat([header, ...body, cipher.getAuthTag()])
    expect(encryption.open(sealed, 'c').toString()).toBe('large file')
  })
})

describe('nonces', () => {
  // The vectors of C2SP's specification, with the two branches of its doubling.
  test.each([
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('are those of XAES-256-GCM: a key of %i', (byte, context, expected) => {
    const { key, nonce } = derive(Buffer.alloc(32, byte), Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'))
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
    const body = [cipher.update('XAES-256-GCM'), cipher.final(), cipher.getAuthTag()]
    expect(Buffer.concat(body).toString('hex')).toBe(expected)
  })
  test('bytes that are cut off leave nothing for what is sealed after them', () => {
    const sealed = encryption.seal('secret', 'c')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => encryption.open(sealed.subarray(0, length), 'c')).toThrow()
      expect(encryption.open(sealed, 'c').toString()).toBe('secret')
    }
  })
  test('each value has its own key, and one derivation leaves nothing for the next', () => {
    const key = randomBytes(32)
    const nonces = Array.from({ length: 100 }, () => randomBytes(24))
    const keys = nonces.map((nonce) => derive(key, nonce).key.export().toString('hex'))
    expect(new Set(keys).size).toBe(100)
    expect(nonces.map((nonce) => derive(key, nonce).key.export().toString('hex'))).toEqual(keys)
  })
})

describe('rotation', () => {
  const before = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY })
  const both = createEncryption({ ENCRYPTION_KEYS: `k2:${K2}, k1:${K1}`, HASH_KEY })
  const afterwards = createEncryption({ ENCRYPTION_KEYS: `k2:${K2}`, HASH_KEY })

  test('the first key seals, all of them open', () => {
    expect(both.open(before.seal('old', 'c'), 'c').toString()).toBe('old')
    expect(afterwards.open(both.seal('new', 'c'), 'c').toString()).toBe('new')
  })
  test('an unknown key is named by its id', () => {
    expect(() => afterwards.open(before.seal('old', 'c'), 'c')).toThrow('"k1"')
  })
  test('another key under the same id does not open', () => {
    const other = createEncryption({ ENCRYPTION_KEYS: `k1:${K2}`, HASH_KEY })
    expect(() => other.open(before.seal('old', 'c'), 'c')).toThrow()
  })
  test('hashes stay the same when the encryption keys change', () => {
    expect(before.hash('value', 'purpose')).toEqual(afterwards.hash('value', 'purpose'))
  })
})

describe('hash', () => {
  test('the same value hashes differently by purpose and by key, and alike otherwise', () => {
    const other = createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY: key() })
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('v', 'api_key'))).toBe(true)
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('v', 'user_email'))).toBe(false)
    expect(encryption.hash('v', 'api_key').equals(encryption.hash('w', 'api_key'))).toBe(false)
    expect(encryption.hash('v', 'api_key').equals(other.hash('v', 'api_key'))).toBe(false)
  })
})

describe('keys that are no keys', () => {
  const sixteen = randomBytes(16).toString('base64')
  test.each([
    ['no id', K1],
    ['an id with a space', `k 1:${K1}`],
    ['no key', 'k1:'],
    ['16 bytes', `k1:${sixteen}`],
    ['a second key of 16 bytes', `k1:${K1},k2:${sixteen}`],
    ['an empty entry', `k1:${K1},`],
  ])('ENCRYPTION_KEYS with %s is refused by name, without quoting a key', (_, keys) => {
    expect(() => createEncryption({ ENCRYPTION_KEYS: keys, HASH_KEY })).toThrow(/^ENCRYPTION_KEYS/)
    try {
      createEncryption({ ENCRYPTION_KEYS: keys, HASH_KEY })
    } catch (error) {
      for (const secret of [K1, sixteen]) expect(String(error)).not.toContain(secret)
    }
  })
  test.each([sixteen, 'not base64 at all', ''])('HASH_KEY %j is refused by name', (hashKey) => {
    expect(() => createEncryption({ ENCRYPTION_KEYS: `k1:${K1}`, HASH_KEY: hashKey })).toThrow(/^HASH_KEY/)
  })
})
