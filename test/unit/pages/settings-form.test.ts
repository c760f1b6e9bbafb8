/** Tests how the forms of the settings are read, which save only the values that the operator changed. */
import { describe, expect, test } from 'vitest'
import { RequestRefused } from '../../../src/domain/base/errors.ts'
import { enteredValues, type Field, runForm, storedValues } from '../../../src/pages/console/base/form.ts'
import { LANGUAGE_NAMES, translate } from '../../../src/pages/texts/index.ts'
import { AlreadyCreated } from '../../../src/use-cases/base/effect.ts'

interface Shop {
  readonly name: string
  readonly fee: number
  readonly days: readonly string[]
}

const FIELDS: readonly Field<Shop>[] = [
  { name: 'name', isRequired: true, value: ({ name }) => name },
  { name: 'fee', value: ({ fee }) => fee, read: (text) => (/^\d+$/.test(text) ? Number(text) : text) },
  { name: 'days', choose: 'some', value: ({ days }) => days },
]
const stored = storedValues(FIELDS, { name: 'Shop', fee: 2, days: ['mon', 'tue'] })

describe('the values of a form', () => {
  test.each([
    ['nothing, if nothing changed', { 'was:name': 'Shop', name: ' Shop ', 'was:fee': '2', fee: '2' }, {}],
    [
      'the changed values',
      { 'was:name': 'Shop', name: 'New', 'was:fee': '2', fee: '3' },
      { name: 'New', fee: 3 },
    ],
    ['an empty text for a required field', { 'was:name': 'Shop', name: ' ' }, { name: '' }],
    ['a text that is no number, so that the schema refuses it', { 'was:fee': '2', fee: 'x' }, { fee: 'x' }],
    ['all values of a new object', { name: 'New', days: 'mon' }, { name: 'New', days: ['mon'] }],
    [
      'a list with the operator’s changes and those that others made in the meantime',
      { 'was:days': 'mon,wed', days: ['mon', 'fri'] },
      { days: ['mon', 'tue', 'fri'] },
    ],
    ['an empty list, if no box is selected', { 'was:days': 'mon,tue' }, { days: [] }],
  ])('contain %s', (_, sent, expected) => {
    const entered = Object.entries(enteredValues(sent, FIELDS, stored))
    expect(Object.fromEntries(entered.filter(([, value]) => value !== undefined))).toEqual(expected)
  })
})

describe.each(LANGUAGE_NAMES)('a refused form in %s', (language) => {
  const frame = { language, t: translate(language), vault: null, vaultName: null, path: '/' }
  const refuse = (error: Error) =>
    runForm(frame, { body: { id: 'x', name: 'y' } }, () => Promise.reject(error))

  test('keeps the typed values, and has one problem for each field', async () => {
    const problems = [
      { code: 'invalid', field: 'roles.0' },
      { code: 'invalid', field: 'roles.1' },
      { code: 'email_taken', field: 'email' },
    ] as const
    const again = await refuse(new RequestRefused(...problems))
    expect(again).toMatchObject({ status: 422, typed: { name: 'y' } })
    expect(again?.problems.map(({ field }) => field)).toEqual(['roles', 'email'])
    for (const { message } of again?.problems ?? []) expect(message).toMatch(/\w/)
  })
  test('gets a new ID if the object has already been created', async () => {
    const again = await refuse(new AlreadyCreated('exists'))
    expect(again).toMatchObject({ status: 409, typed: { id: undefined, name: 'y' } })
  })
  test('is not shown again if the operator cannot see it', async () => {
    for (const code of ['not_found', 'insufficient_role'] as const)
      await expect(refuse(new RequestRefused({ code }))).rejects.toThrow(code)
    await expect(refuse(new Error('unexpected'))).rejects.toThrow('unexpected')
  })
})
