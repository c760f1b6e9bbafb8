/** Tests the profiles that Gatehouse ships. */
import { describe, expect, test } from 'vitest'
import { findProblems } from '../../../src/contracts/check.ts'
import { profileDocument } from '../../../src/contracts/profile.ts'
import { LANGUAGE_NAMES } from '../../../src/domain/base/language.ts'
import { checkProfile } from '../../../src/domain/profile/check.ts'
import { isAddedRow, PARTS } from '../../../src/domain/profile/document.ts'
import { SHIPPED } from '../../../src/domain/profile/shipped/index.ts'
import { SHIPPED_NAMES } from '../../../src/domain/profile/shipped/profile.ts'

describe.each(SHIPPED_NAMES)('the profile %s', (name) => {
  const { document, sources, title, about, ...profile } = SHIPPED[name]
  const rows = PARTS.flatMap((part) => document[part].rows)

  test('can be published in every language', () => {
    expect(profile.name).toBe(name)
    expect(findProblems(profileDocument, document)).toEqual([])
    expect(checkProfile(document, LANGUAGE_NAMES, '2026-11-28')).toEqual([])
  })
  test('has a title, a description and a source of each field', () => {
    for (const texts of [title, about]) expect(Object.keys(texts).sort()).toEqual([...LANGUAGE_NAMES].sort())
    const changed = name === 'default' ? [] : rows.map(({ path }) => path)
    expect(new Set(Object.keys(sources))).toEqual(new Set(changed))
  })
  test('has each name once in the company and its beneficiaries', () => {
    const names = [...document.company.rows, ...document.beneficiary.rows]
      .filter(isAddedRow)
      .map(({ path }) => path)
    expect(new Set(names).size).toBe(names.length)
  })
})

test('the profile of the United Kingdom has no text field, which could hold a personal code', () => {
  const { company, beneficiary } = SHIPPED.uk.document
  expect([...company.rows, ...beneficiary.rows].map(({ type }) => type)).toEqual(['files', 'one_of'])
})

test('a date of birth is at most 130 years ago', () => {
  const rows = SHIPPED_NAMES.flatMap((name) => PARTS.flatMap((part) => SHIPPED[name].document[part].rows))
  const limits = rows.filter(({ path }) => path.endsWith('date_of_birth')).map(({ earliest }) => earliest)
  expect(limits).toEqual(['P130Y', 'P130Y'])
})
