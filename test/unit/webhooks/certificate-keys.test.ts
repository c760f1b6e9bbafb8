/** Tests which keys the certificates of webhook URLs can have. A large one would block a process in each handshake. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { generate } from 'selfsigned'
import { expect, test } from 'vitest'
import { findCertificateProblem } from '../../../src/webhooks/certificates.ts'

const NAME = [{ name: 'commonName', value: 'localhost' }]

/** Returns the inverse of `value`. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [one, other, of, ofOther] = [value % modulus, modulus, 1n, 0n]
  while (other !== 0n) {
    const times = one / other
    ;[one, other, of, ofOther] = [other, one - times * other, ofOther, of - times * ofOther]
  }
  return ((of % modulus) + modulus) % modulus
}

/** Creates a key of any size immediately, from two Mersenne primes. */
function largeKey(firstExponent: bigint, secondExponent: bigint) {
  const [p, q, e] = [(1n << firstExponent) - 1n, (1n << secondExponent) - 1n, 65_537n]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const text = (number: bigint) => {
    const digits = number.toString(16)
    return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url')
  }
  const values = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, text(number)]))
  const key = createPrivateKey({ key: { kty: 'RSA', ...values }, format: 'jwk' })
  return {
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  }
}

test.each([
  ['RSA with 2,048 bits', { keySize: 2_048 }, null],
  ['P-256', { keyType: 'ec' }, null],
  ['P-521', { keyType: 'ec', curve: 'P-521' }, null],
  ['RSA with 4,484 bits', { keyPair: largeKey(2_281n, 2_203n) }, 'invalid_certificate'],
  ['RSA with 8,676 bits', { keyPair: largeKey(4_423n, 4_253n) }, 'invalid_certificate'],
] as const)('a key of the type %s', async (_, options, code) => {
  const { cert, private: key } = await generate(NAME, options)
  const ofClient = { ca: null, clientCertificate: cert, clientKey: key }
  const ofAuthority = { ca: cert, clientCertificate: null, clientKey: null }
  for (const certificates of [ofClient, ofAuthority]) {
    const problem = findCertificateProblem('https://receiver.example', certificates, Date.now())
    expect(problem?.code ?? null).toBe(code)
  }
})
