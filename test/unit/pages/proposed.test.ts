/** Tests the answers that the form of a company proposes from earlier ones. */
import { expect, test } from 'vitest'
import { proposedOr } from '../../../src/pages/components/proposed.ts'

const TYPE = 'nature_of_business.company_type'

test.each([
  ['Analytical Engines Ltd', 'limited_liability_company'],
  ['Analytical Engines Ltd. ', 'limited_liability_company'],
  ['Muster GmbH', 'limited_liability_company'],
  ['Muster GmbH & Co. KG', 'limited_partnership'],
  ['Przykład Sp. z o.o.', 'limited_liability_company'],
  ['Exemple S.à r.l.', 'limited_liability_company'],
  ['Esempio S.p.A.', 'public_limited_company'],
  ['Beispiel AG', 'public_limited_company'],
  ['Example LLP', 'partnership'],
  // These names do not end with a legal form.
  ['Unlimited', undefined],
  ['Verlag', undefined],
  ['GmbH Beratung', undefined],
  ['Ltd', undefined],
  ['', undefined],
  [undefined, undefined],
])('the name %j proposes the legal form %j', (name, form) => {
  expect(proposedOr(undefined, TYPE, () => name)).toBe(form)
})

test('a stored answer remains', () => {
  expect(proposedOr('trust', TYPE, () => 'Muster GmbH')).toBe('trust')
  expect(proposedOr('FR', 'document_country', () => 'DE')).toBe('FR')
  expect(proposedOr('', 'document_country', () => 'DE')).toBe('DE')
  expect(proposedOr('', 'email', () => 'DE')).toBe('')
})
