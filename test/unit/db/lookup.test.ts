/** Tests which registration numbers show that two applications are about one company. */
import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/connection/database.ts'
import { hashCompany } from '../../../src/db/lists/lookup.ts'
import type { KybContent } from '../../../src/domain/kyb/fields.ts'

const db = { encryption: { hash: (text: string) => Buffer.from(text) } } as unknown as Database

/** Returns the text whose hash identifies the company, or undefined. */
const identityOf = (company_registration_id?: string): string | undefined =>
  hashCompany(db, {
    nature_of_business: { country_of_incorporation: 'DE', company_registration_id },
  } as KybContent).registrationHash?.toString()

test.each([
  'none',
  'None.',
  'n/a',
  'N.A.',
  'keine',
  'brak',
  '-',
  '—',
  '000',
  '\u200b',
  'нет',
  '無',
  undefined,
])('%j identifies no company', (number) => {
  expect(identityOf(number)).toBeUndefined()
})

test.each([
  ['HRB 18421', 'hrb-18421'],
  ['HRB 18421', 'ＨＲＢ １８４２１'],
  ['0428.759.497', '428759497'],
  ['№ 5', 'No5'],
])('%j and %j identify one company', (one, other) => {
  expect(identityOf(one)).toBe(identityOf(other))
  expect(identityOf(one)).not.toBe(identityOf('HRB 1'))
})
