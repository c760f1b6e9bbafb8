/** Tests the words of a requested correction for applicants. */
import { expect, test } from 'vitest'
import { correctionText } from '../../../src/pages/applicant/base/correction.ts'
import { translate } from '../../../src/pages/texts/index.ts'

test.each([
  ['selfie', 'unreadable', null, 'Your face is not clearly visible. Take a new photo.'],
  ['document_front', 'unreadable', null, 'Provide a readable version.'],
  ['selfie', 'mismatch', null, 'Correct this item. It does not match the other details.'],
  ['city', 'other', 'Another town?', '“Another town?”'],
])('names %s with the finding %s', (path, code, message, words) => {
  expect(correctionText({ t: translate('en') }, [{ path, code, message }], path)).toBe(words)
})
