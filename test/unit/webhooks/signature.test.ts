/** Tests the signature of deliveries against digests from `openssl dgst -sha256 -hmac <secret>`. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookSecret } from '../../../src/storage/random.ts'
import { signatureHeader, signedHeaders } from '../../../src/webhooks/signature.ts'

test.each([
  [
    'whsec_known_answer',
    1790000000,
    '{"data":{"event":"kyb_completed","attributes":{"status":"completed"}}}',
    '4dfd6929a1e96592af87309eb31641f2372c6e173278482838a07f3dcedf6eb1',
  ],
  [
    'whsec_ünï',
    1,
    '{"data":{"name":"Zürich ☂"}}',
    '7c58336e92813b4ea44f3d9fdabffde47de03b6af609d5f121cce9c628057506',
  ],
  ['k', 0, '', '6b4a4b8b3c40f1e8f53a3d36682e5f99f7ad2ac1df1c93dfe336f329167641e7'],
] as const)('the signature matches the known answer for the secret %s at %i', (secret, t, body, digest) => {
  expect(signatureHeader([secret], body, t)).toBe(`t=${t},v1=${digest}`)
  expect(signatureHeader([secret], Buffer.from(body), t)).toBe(`t=${t},v1=${digest}`)
})

test('a receiver that follows the specification accepts the signature, but not for a changed body', () => {
  const verify = (secret: string, header: string, body: string) => {
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
    return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') === v1
  }
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme' }), fc.nat(), (secret, body, t) => {
      const header = signatureHeader([secret], body, t)
      expect(verify(secret, header, body)).toBe(true)
      expect(verify(secret, header, `${body} `)).toBe(false)
      expect(verify(`${secret}x`, header, body)).toBe(false)
    }),
  )
})

test('the header contains one v1 for each secret in order', () => {
  const one = signatureHeader(['new'], 'body', 7).replace('t=7,', '')
  const other = signatureHeader(['old'], 'body', 7).replace('t=7,', '')
  expect(signatureHeader(['new', 'old'], 'body', 7)).toBe(`t=7,${one},${other}`)
})

test('the Standard Webhooks library accepts either active secret, but no changed body', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const body = '{"data":{"name":"Zürich ☂"}}'
  const attempt = { eventId: '01a1fc43-38da-70c0-b7b7-617cdba27f04', number: 2, body, secrets }
  const headers = signedHeaders(attempt, Math.floor(Date.now() / 1000))
  for (const secret of secrets)
    expect(new Webhook(secret).verify(body, headers)).toEqual({ data: { name: 'Zürich ☂' } })
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow('No matching signature')
  expect(headers).toMatchObject({ 'webhook-id': attempt.eventId, 'Gatehouse-Attempt': '2' })
})
