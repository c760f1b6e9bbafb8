/** Tests the table of the fields that documents prove. */
import { expect, test } from 'vitest'
import { PERSON_FIELDS, PERSON_FILES } from '../../../src/domain/identification/person-form.ts'
import { BENEFICIARY_FIELDS } from '../../../src/domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, type Section } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM, fileLists, personFileLists } from '../../../src/domain/kyb/form.ts'
import { PERSON_PROVES, PROVES } from '../../../src/domain/kyb/proof.ts'

test('names only existing fields for each list of documents', () => {
  const lists = [...fileLists(DEFAULT_FORM).keys(), ...personFileLists(DEFAULT_FORM)]
  expect(Object.keys(PROVES).sort()).toEqual(lists.sort())
  for (const { company = {}, people = [] } of Object.values(PROVES)) {
    for (const [section, fields] of Object.entries(company))
      for (const field of fields) expect(Object.keys(KYB_FIELDS[section as Section])).toContain(field)
    for (const field of people) expect(Object.keys(BENEFICIARY_FIELDS)).toContain(field)
  }
})

test('names only existing fields for each photo of a person', () => {
  expect(Object.keys(PERSON_PROVES).sort()).toEqual([...PERSON_FILES].sort())
  const known = Object.keys({ ...PERSON_FIELDS.details, ...PERSON_FIELDS.document })
  for (const field of Object.values(PERSON_PROVES).flat()) expect(known).toContain(field)
})
