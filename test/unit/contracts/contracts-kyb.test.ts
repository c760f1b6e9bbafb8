/** Tests the validation of application fields, files, decisions and webhook URLs. */

import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  createKybBody,
  decideKybBody,
  patchKybBody,
  simulateReviewBody,
} from '../../../src/contracts/kyb-application.ts'
import { deleteFileBody, uploadFieldsOf } from '../../../src/contracts/kyb-file.ts'
import { problemsOf } from '../../../src/contracts/problems.ts'
import { updateWebhookBody } from '../../../src/contracts/webhook.ts'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import { KYB_FIELDS, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { completeSections } from '../../support/kyb.ts'

function codes(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { reportInput: true })
  return error ? problemsOf(error).map(({ code, field }) => (field ? `${code} ${field}` : code)) : []
}
const nature = (field: string, value: unknown) =>
  codes(patchKybBody, { nature_of_business: { [field]: value } })
const usage = (field: string, value: unknown) => codes(patchKybBody, { usage_of_account: { [field]: value } })

describe('validation of sections', () => {
  test('accepts complete sections in an update and at creation', () => {
    expect(codes(patchKybBody, completeSections())).toEqual([])
    expect(codes(createKybBody, { external_id: 'x', ...completeSections() })).toEqual([])
  })
  test('clears every field of the specification with null, and refuses any other field', () => {
    for (const section of SECTIONS) {
      for (const field of Object.keys(KYB_FIELDS[section])) {
        expect(codes(patchKybBody, { [section]: { [field]: null } })).toEqual([])
        expect(codes(patchKybBody, { [section]: { [`${field}x`]: null } })).toEqual([
          `unknown_field ${section}.${field}x`,
        ])
      }
    }
  })
  test.each([null, [], 'text', 7, true])('refuses %j as a section', (value) => {
    expect(codes(patchKybBody, { nature_of_business: value })).toEqual(['invalid nature_of_business'])
  })
  test('ignores fields that only the service sets', () => {
    const person = { email: 'a@example.com', link: 'y', verification: 'approved' }
    const read = {
      status: {},
      review: {},
      external_id: 'x',
      beneficiaries: { beneficiaries_list: [{ ...person, link_expires_at: 1 }] },
    }
    expect(patchKybBody.parse(read)).toEqual({
      beneficiaries: { beneficiaries_list: [{ email: 'a@example.com' }] },
    })
  })
  test('requires an external_id or an email for a beneficiary', () => {
    const list = (...people: object[]) => ({ beneficiaries: { beneficiaries_list: people } })
    const id = '018F4D2E-7C1A-7B3E-9D55-0A1B2C3D4E5F'
    expect(patchKybBody.parse(list({ external_id: id }))).toEqual(list({ external_id: id.toLowerCase() }))
    expect(codes(patchKybBody, list({ full_name: 'Ada' }, { external_id: 'x' }, { email: null }))).toEqual([
      'required beneficiaries.beneficiaries_list.0.email',
      'invalid beneficiaries.beneficiaries_list.1.external_id',
      'invalid beneficiaries.beneficiaries_list.2.email',
    ])
  })
  test('reports __proto__ and constructor as unknown fields', () => {
    const body = JSON.parse('{"__proto__":{"a":1},"constructor":{},"nature_of_business":{"__proto__":{}}}')
    expect(codes(patchKybBody, body).sort()).toEqual([
      'unknown_field __proto__',
      'unknown_field constructor',
      'unknown_field nature_of_business.__proto__',
    ])
  })
})

describe('validation of field types', () => {
  const FIELD = (field: string) => [`invalid nature_of_business.${field}`]
  test.each([
    ['country_address', ['DE', 'GB', 'AX', 'XK'], ['de', 'DEU', 'ZZ', '', 'UK', 5]],
    [
      'phone',
      ['+4930123456', '+12025550123', '+49 30 123456', '004930123456'],
      ['030123456', '+0123456', '', '+'],
    ],
    ['email', ['a@example.com', 'A.b+c@sub.example.org'], ['a', 'a@', '@example.com', 'a b@example.com', '']],
    [
      'website',
      ['https://example.com', 'http://example.com/a?b#c'],
      [
        'example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
        'https://a.example/\u0000',
        'https://a.example/ b',
        'https://exa\tmple.com/',
        'https://a.example/\n',
        '',
      ],
    ],
    ['company_type', ['trust', 'other'], ['gmbh', 'Trust', '', ['trust']]],
    ['website_activity_check', [true, false], ['true', 0, 'yes']],
    ['legal_company_name', ['Ä & Sons', ''], [5, ['x'], {}, 'nul\u0000']],
  ] as const)('accepts only valid values of %s', (field, good, bad) => {
    for (const value of good) expect(nature(field, value), String(value)).toEqual([])
    for (const value of bad) expect(nature(field, value), String(value)).toEqual(FIELD(field))
  })
  test.each([
    ['source_of_funds', [[], ['revenue'], ['loan', 'grant']], ['revenue', [['revenue']].flat().join()]],
    ['list_of_countries_operated', ['DE', 'DE,FR', 'DE, FR', 'DE,XK'], ['DE,', 'DE;FR', 'DE,ZZ', 'de', '']],
    ['trx_count_monthly', ['0', '1500', '2.5'], ['-1', '1,5', '1e3', '1.', '.5', '', 'many', 5]],
  ] as const)('accepts only valid values of %s', (field, good, bad) => {
    for (const value of good) expect(usage(field, value), String(value)).toEqual([])
    for (const value of bad)
      expect(usage(field, value), String(value)).toEqual([`invalid usage_of_account.${field}`])
  })
  test('removes duplicate choices', () => {
    const { usage_of_account } = patchKybBody.parse({
      usage_of_account: { list_of_services: ['iban', 'iban'] },
    })
    expect(usage_of_account).toEqual({ list_of_services: ['iban'] })
  })
  test('names the position of an unknown value in a list', () => {
    expect(usage('source_of_funds', ['revenue', 'theft'])).toEqual([
      'invalid usage_of_account.source_of_funds.1',
    ])
  })
  test('limits the length of text', () => {
    expect(nature('legal_company_name', 'x'.repeat(5_000))).toEqual([])
    expect(nature('legal_company_name', 'x'.repeat(5_001))).toEqual([
      'too_long nature_of_business.legal_company_name',
    ])
  })
  test('reports a non-existent date as malformed', () => {
    expect(nature('date_of_incorporation', '2026-02-30')).toEqual([
      'malformed_request nature_of_business.date_of_incorporation',
    ])
  })

  const person = (fields: object) => codes(patchKybBody, { beneficiaries: { beneficiaries_list: [fields] } })
  const at = (field: string) => `beneficiaries.beneficiaries_list.0.${field}`
  test('requires an email for a new beneficiary', () => {
    expect(person({ full_name: 'Ada' })).toEqual([`required ${at('email')}`])
    expect(person({ email: null })).toEqual([`invalid ${at('email')}`])
  })
  test('accepts a stake from 0 to 100 as text', () => {
    for (const stake of ['0', '25.5', '99.99999999999999999999', '100', '0100.00'])
      expect(person({ email: 'a@example.com', stake_in_company: stake })).toEqual([])
    for (const stake of ['100.01', '100.00000000000000000001', '101', '-1', 'half', 50, '']) {
      expect(person({ email: 'a@example.com', stake_in_company: stake })).toEqual([
        `invalid ${at('stake_in_company')}`,
      ])
    }
  })
  test('limits the lists of people and files', () => {
    const people = Array.from({ length: 101 }, (_, n) => ({ email: `p${n}@example.com` }))
    expect(codes(patchKybBody, { beneficiaries: { beneficiaries_list: people } })).toEqual([
      'too_many beneficiaries.beneficiaries_list',
    ])
    const files = Array.from({ length: 501 }, () => ({ id: crypto.randomUUID() }))
    expect(codes(patchKybBody, { business_files: { legal_structures: files } })).toEqual([
      'too_many business_files.legal_structures',
    ])
  })
  test('reads a file reference by its ID, ignores its name, and removes duplicates', () => {
    const file = crypto.randomUUID()
    const list = [{ id: file }, { id: file.toUpperCase(), name: 'other.pdf' }]
    const parsed = patchKybBody.parse({ business_files: { legal_structures: list } })
    expect(parsed.business_files).toEqual({ legal_structures: [file] })
    expect(codes(patchKybBody, { business_files: { legal_structures: [file] } })).toEqual([
      'invalid business_files.legal_structures.0',
    ])
  })
})

describe('validation of other requests', () => {
  test('requires an email only for the file lists of beneficiaries', () => {
    expect(codes(uploadFieldsOf(DEFAULT_FORM), { attribute: 'proof_address' })).toEqual(['required email'])
    expect(
      codes(uploadFieldsOf(DEFAULT_FORM), { attribute: 'proof_address', email: 'a@example.com' }),
    ).toEqual([])
    expect(
      codes(uploadFieldsOf(DEFAULT_FORM), { attribute: 'legal_structures', email: 'a@example.com' }),
    ).toEqual(['unknown_field email'])
    expect(codes(uploadFieldsOf(DEFAULT_FORM), { attribute: 'signature_type' })).toEqual([
      'invalid attribute',
    ])
    expect(codes(uploadFieldsOf(DEFAULT_FORM), {})).toEqual(['required attribute'])
  })
  test('requires a file and an attribute to delete a file', () => {
    expect(codes(deleteFileBody, {})).toEqual(['required blob_key', 'required attribute_key'])
    expect(codes(deleteFileBody, { blob_key: 'x', attribute_key: 'y' })).toEqual([
      'invalid blob_key',
      'invalid attribute_key',
    ])
  })
  test('requires a reason from an operator, but not in the sandbox', () => {
    expect(codes(decideKybBody, { outcome: 'approved' })).toEqual(['required reason_code'])
    expect(codes(decideKybBody, { outcome: 'maybe', reason_code: 'because' }).sort()).toEqual([
      'invalid outcome',
      'invalid reason_code',
    ])
    expect(codes(simulateReviewBody, { outcome: 'approved' })).toEqual([])
    expect(codes(simulateReviewBody, {})).toEqual(['required outcome'])
  })

  const urls = (list: unknown, allowPrivate = false) =>
    codes(updateWebhookBody(allowPrivate), { webhook_url: { account: list } })
  test.each(TOPICS)('accepts the webhook topic %s', (topic) => {
    expect(codes(updateWebhookBody(false), { webhook_url: { [topic]: ['https://a.example'] } })).toEqual([])
  })
  test.each([
    'http://a.example',
    'ftp://a.example',
    'a.example',
    'https://',
    '',
    5,
    null,
    'https://u:p@a.example',
    'https:\\\\u:p@a.example',
    '\thttps://u@a.example',
    'https://a.example/\u0000',
    'https://a.example/\ud800',
    'https://a b.example',
    'https://a.example/#part',
    'https://a.example/#',
    'https://a.example:0/',
    'https://a..example',
    `https://${'x'.repeat(64)}.example`,
    'https://127.0.0.1',
    'https://2130706433',
    'https://10.1.2.3:8443/hook',
    'https://169.254.169.254',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[2001:db8::1]/',
    'https://localhost',
    'https://receiver.localhost.',
    'https://intranet',
    'https://receiver.TEST',
    'https://receiver.invalid',
    'https://printer.local',
    'https://db.internal',
    'https://receiver.onion',
    'https://nas.home.arpa',
    `https://a.example/${'x'.repeat(2_000)}`,
    `https://a.example/${'漢'.repeat(700)}`,
  ])('refuses the webhook URL %j', (url) => {
    expect(urls(['https://a.example', url])).toHaveLength(1)
    expect(urls(['https://a.example', url])[0]).toMatch(/^(invalid|too_long) webhook_url\.account\.1$/)
  })
  test('accepts HTTP if private addresses are allowed', () => {
    expect(urls(['http://127.0.0.1:9'], true)).toEqual([])
  })
  test('accepts private hosts if allowed, but never port 0 or a fragment', () => {
    expect(
      urls(['https://10.0.0.1', 'http://[::1]:9', 'http://receiver:8000', 'http://a.test'], true),
    ).toEqual([])
    expect(urls(['http://127.0.0.1:0', 'http://a.test/#x'], true)).toHaveLength(2)
  })
  test.each([
    'https://8.8.8.8',
    'https://[2606:4700:4700::1111]:8443/x?y=1',
    'https://test.example.com.',
    'https://xn--bcher-kva.example',
    'https://Bücher.example',
    'https://local.example.com:1/',
  ])('accepts the webhook URL %s', (url) => {
    expect(urls([url])).toEqual([])
  })
  test('names unknown topics together with all other problems', () => {
    const body = { webhook_url: { nothing: [], account: 'https://a.example', ticket: ['x'], payments: 5 } }
    expect(codes(updateWebhookBody(false), body).sort()).toEqual([
      'invalid webhook_url.account',
      'invalid webhook_url.ticket.0',
      'unknown_topic webhook_url.nothing',
      'unknown_topic webhook_url.payments',
    ])
  })
  test('accepts at most ten URLs for a topic', () => {
    const list = (length: number) => Array.from({ length }, (_, n) => `https://a.example/${n}`)
    expect(urls(list(10))).toEqual([])
    expect(urls(list(11))).toEqual(['too_many webhook_url.account'])
  })
})
