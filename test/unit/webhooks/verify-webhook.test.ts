/**
 * Tests the verification of deliveries for receivers in TypeScript. The digests come from `openssl dgst
 * -sha256 -hmac`.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventBody } from '../../../src/domain/webhook/events.ts'
import { signatureHeader } from '../../../src/webhooks/signature.ts'
import { verifyWebhook } from '../../../src/webhooks/verify-webhook.ts'

const SECRET = 'whsec_known_answer'
const T = 1790000000
const BODY = '{"data":{"event":"kyb_completed","attributes":{"status":"completed"}}}'
const DIGEST = '4dfd6929a1e96592af87309eb31641f2372c6e173278482838a07f3dcedf6eb1'
const HEADER = `t=${T},v1=${DIGEST}`
const OTHER = '0'.repeat(64)

interface Given {
  body?: string | Uint8Array
  header?: string | string[] | undefined
  secret?: string | string[]
  at?: number
}
const verify = (given: Given = {}, more: object = {}) =>
  verifyWebhook(given.body ?? BODY, 'header' in given ? given.header : HEADER, given.secret ?? SECRET, {
    now: new Date((given.at ?? T) * 1000),
    ...more,
  })
const refused = (reason: string) => ({ ok: false, reason })

describe('a genuine delivery', () => {
  const accepted = { ok: true, event: 'kyb_completed', attributes: { status: 'completed' }, isFailure: false }
  test('is accepted as text and as bytes, and its event is returned', () => {
    expect(verify()).toEqual(accepted)
    expect(verify({ body: Buffer.from(BODY) })).toEqual(accepted)
    expect(verify({ body: new TextEncoder().encode(BODY) })).toEqual(accepted)
    expect(verify({ header: [HEADER] })).toEqual(accepted)
  })
  test('is accepted if any v1 of the header matches', () => {
    for (const header of [
      `${HEADER},v1=${OTHER}`,
      `t=${T},v1=${OTHER},v1=${DIGEST}`,
      `t=${T}, v1=${DIGEST}`,
      `v1=${DIGEST},t=${T}`,
      `${HEADER},v2=whatever`,
    ]) {
      expect(verify({ header }), header).toEqual(accepted)
    }
  })
  test('is accepted if any secret matches', () => {
    expect(verify({ secret: ['new', SECRET] })).toEqual(accepted)
    expect(verify({ secret: [SECRET, 'old'] })).toEqual(accepted)
    expect(verify({ secret: ['new', 'old'] })).toEqual(refused('wrong_signature'))
  })
  test('is accepted within 300 seconds, or within the tolerance of the receiver', () => {
    for (const at of [T - 300, T + 300]) expect(verify({ at })).toEqual(accepted)
    for (const at of [T - 301, T + 301]) expect(verify({ at })).toEqual(refused('outside_tolerance'))
    expect(verify({ at: T + 11 }, { toleranceSeconds: 10 })).toEqual(refused('outside_tolerance'))
    expect(verify({ at: T + 900 }, { toleranceSeconds: 900 })).toEqual(accepted)
  })
  test('is reported as a failure if its event is under `error`', () => {
    const body = eventBody({ name: 'fiat_payment_failed', attributes: { message: 'No.' } }, 'error')
    const header = signatureHeader([SECRET], body, T)
    expect(verify({ body, header })).toEqual({
      ok: true,
      event: 'fiat_payment_failed',
      attributes: { message: 'No.' },
      isFailure: true,
    })
  })
  test('is checked against the current time by default', () => {
    const header = signatureHeader([SECRET], BODY, Math.floor(Date.now() / 1000))
    expect(verifyWebhook(BODY, header, SECRET)).toEqual(accepted)
    expect(verifyWebhook(BODY, HEADER.replace(String(T), '1'), SECRET)).toEqual(refused('outside_tolerance'))
  })
})

describe('verifyWebhook', () => {
  test.each([undefined, '', []])('refuses a missing header: %j', (header) => {
    expect(verify({ header })).toEqual(refused('missing_signature'))
  })
  test.each([
    'nonsense',
    `v1=${DIGEST}`,
    `t=${T}`,
    `t=${T},v1=`,
    `t=,v1=${DIGEST}`,
    `t=1e9,v1=${DIGEST}`,
    `t=-1,v1=${DIGEST}`,
    `t=${T},v1=${DIGEST.toUpperCase()}`,
    `t=${T},v1=${DIGEST}0`,
    `t=${T},v1=${DIGEST},v1=x`,
    `t=${T},t=${T},v1=${DIGEST}`,
    `t=${T},V1=${DIGEST}`,
    `t=${T};v1=${DIGEST}`,
  ])('refuses a malformed header: %s', (header) => {
    expect(verify({ header })).toEqual(refused('malformed_signature'))
  })
  test('refuses two headers', () => {
    expect(verify({ header: [HEADER, HEADER] })).toEqual(refused('malformed_signature'))
  })
  test('refuses a body, secret or time that does not match the signature', () => {
    const altered = [BODY.replace('completed"}', 'rejected"}'), `${BODY} `, `\ufeff${BODY}`, '']
    for (const body of altered) expect(verify({ body })).toEqual(refused('wrong_signature'))
    expect(verify({ secret: `${SECRET}x` })).toEqual(refused('wrong_signature'))
    expect(verify({ header: `t=${T + 1},v1=${DIGEST}` })).toEqual(refused('wrong_signature'))
    expect(verify({ header: `t=${T},v1=${OTHER}` })).toEqual(refused('wrong_signature'))
  })
  test.each([
    '',
    'null',
    '5',
    '[]',
    '{}',
    '{"data":null}',
    '{"data":{"event":5,"attributes":{}}}',
    '{"data":',
  ])('refuses a signed body without an event: %j', (body) => {
    expect(verify({ body, header: signatureHeader([SECRET], body, T) })).toEqual(refused('malformed_body'))
  })
})

test('throws if the receiver passes no secret or a parsed body', () => {
  for (const secret of ['', [], [SECRET, '']]) expect(() => verify({ secret })).toThrow('the secret is empty')
  expect(() => verify({ body: JSON.parse(BODY) })).toThrow('the raw body')
})

test('accepts every signed delivery, and no other', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }), fc.nat(), (secret, text, t) => {
      const body = eventBody({ name: 'note_added', attributes: { text } })
      const header = signatureHeader([secret], body, t)
      const given = { body, header, secret, at: t }
      expect(verify(given)).toMatchObject({ ok: true, attributes: { text } })
      expect(verify({ ...given, body: `${body} ` })).toEqual(refused('wrong_signature'))
      expect(verify({ ...given, secret: `${secret}x` })).toEqual(refused('wrong_signature'))
    }),
  )
})

test('imports only node:crypto', () => {
  const source = readFileSync(new URL('../../../src/webhooks/verify-webhook.ts', import.meta.url), 'utf8')
  expect([...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name)).toEqual(['node:crypto'])
})
