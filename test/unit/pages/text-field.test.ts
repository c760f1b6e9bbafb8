/** Tests in which control a form shows a text, and which line breaks it keeps. */
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { DEFAULT_FORM, fieldAt } from '../../../src/domain/kyb/form.ts'
import { Field } from '../../../src/pages/components/fields.tsx'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { translate } from '../../../src/pages/texts/index.ts'
import { BEGAN, readFields } from '../../../src/pages/values/form-values.ts'

const frame = { language: 'en', t: translate('en') } as Frame

test.each([
  ['nature_of_business.legal_company_name', 'Engines Ltd', 'input', true],
  ['nature_of_business.legal_company_name', 'x'.repeat(33), 'textarea rows=2', true],
  ['nature_of_business.legal_company_name', 'Engines\nLtd', 'textarea rows=2', true],
  ['nature_of_business.legal_address', 'x'.repeat(97), 'textarea rows=4', true],
  ['nature_of_business.website', `https://example.com/${'x'.repeat(50)}`, 'input', true],
  ['nature_of_business.description_activity', 'Engines', 'textarea rows=2', false],
])('%s with the text %j is in %s', (path, value, control, isNoProse) => {
  const field = fieldAt(DEFAULT_FORM, path)
  const name = path.split('.').at(-1) ?? ''
  if (!field) throw new Error(path)
  const html = renderToString(Field({ frame, path, name, field, value, required: true, problem: undefined }))
  const [, tag, attributes = ''] = /<(input type="text"|textarea)([^>]*)>/.exec(html) ?? []
  const [rows] = /rows="?\d/.exec(attributes) ?? []
  expect([tag?.split(' ')[0], rows?.replace('"', '')].filter(Boolean).join(' ')).toBe(control)
  expect(/spellcheck="?false/i.test(attributes)).toBe(isNoProse)
})

test.each([
  ['nature_of_business.legal_company_name', '', 'Engines\r\nLtd', 'Engines Ltd'],
  ['nature_of_business.legal_company_name', 'Engines', ' Engines \r\n\r\n Ltd\r\n', 'Engines Ltd'],
  ['nature_of_business.legal_company_name', '', 'Engines\u2028Ltd', 'Engines Ltd'],
  // The API has stored it with a line break.
  ['nature_of_business.legal_company_name', 'Engines\nLtd', 'Engines\r\nGmbH', 'Engines\nGmbH'],
  ['nature_of_business.description_activity', '', 'We\r\nbuild', 'We\nbuild'],
])('a form reads %s, which was %j and is %j, as %j', (path, began, sent, value) => {
  const field = fieldAt(DEFAULT_FORM, path)
  if (!field) throw new Error(path)
  const form = { prefix: '', fields: { [path]: field }, language: 'en' } as const
  expect(readFields({ ...form, sent: { [path]: sent, [BEGAN + path]: began } })).toEqual({ [path]: value })
})
