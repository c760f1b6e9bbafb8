/** Tests the merge rules of edits: fields, file lists and beneficiaries. */

import { describe, expect, test } from 'vitest'
import { namedFiles } from '../../../src/domain/kyb/content.ts'
import { editContent, type KybEdit, type KybPatch } from '../../../src/domain/kyb/edit.ts'
import { emptyContent, type KybContent } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM, fileLists, valueIn } from '../../../src/domain/kyb/form.ts'
import { nameProblemsByPerson } from '../../../src/domain/kyb/problem-paths.ts'
import { ADA, completeContent, UBO } from '../../support/kyb.ts'

let ids = 0
const context = (...uploaded: string[]) => ({
  form: DEFAULT_FORM,
  uploaded: new Set(uploaded),
  newId: () => `new-${++ids}`,
})

function edited(content: KybContent, edit: KybEdit, ...uploaded: string[]): KybContent {
  const result = editContent(content, edit, context(...uploaded))
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result.content
}
function refused(content: KybContent, edit: KybEdit, ...uploaded: string[]) {
  const result = editContent(content, edit, context(...uploaded))
  return 'problems' in result ? result.problems : []
}
const patch = (sections: KybPatch): KybEdit => ({ kind: 'patch', patch: sections })
const LIST = 'beneficiaries.beneficiaries_list'
const people = (...list: object[]): KybEdit =>
  patch({ beneficiaries: { beneficiaries_list: list } } as KybPatch)
const peopleOf = (content: KybContent) => content.beneficiaries.beneficiaries_list

describe('fields', () => {
  test('change only if they are sent', () => {
    const before = completeContent()
    const after = edited(before, patch({ nature_of_business: { city_address: 'Hamburg' } }))
    expect(after).toEqual({
      ...before,
      nature_of_business: { ...before.nature_of_business, city_address: 'Hamburg' },
    })
  })
  test('are cleared by null, whatever their type', () => {
    const cleared = edited(
      completeContent(),
      patch({
        nature_of_business: { city_address: null },
        usage_of_account: { source_of_funds: null, fund_origin_confirmation: null },
        business_files: { articles_of_association: null },
      }),
    )
    expect(cleared.nature_of_business).not.toHaveProperty('city_address')
    expect(cleared.usage_of_account).not.toHaveProperty('source_of_funds')
    expect(cleared.usage_of_account).not.toHaveProperty('fund_origin_confirmation')
    expect(cleared.business_files).not.toHaveProperty('articles_of_association')
  })
  test('stay unchanged if they are cleared before they are set', () => {
    const clear = patch({ usage_of_account: { usage: null }, nature_of_business: { website: null } })
    expect(edited(emptyContent(), clear)).toEqual(emptyContent())
  })
  test('that are lists are replaced by the new list, even by an empty one', () => {
    const list = (...source_of_funds: string[]) => patch({ usage_of_account: { source_of_funds } })
    const before = edited(emptyContent(), list('revenue', 'loan'))
    expect(edited(before, list('grant')).usage_of_account.source_of_funds).toEqual(['grant'])
    expect(edited(before, list()).usage_of_account.source_of_funds).toEqual([])
  })
  test('stay unchanged by a patch without sections', () => {
    expect(edited(completeContent(), patch({}))).toEqual(completeContent())
  })
})

describe('beneficiaries', () => {
  test('are updated if only the letter case of the email differs', () => {
    const after = edited(completeContent(), people({ email: UBO.toUpperCase(), full_name: 'Ada King' }))
    expect(peopleOf(after)).toEqual([
      { ...peopleOf(completeContent())[0], full_name: 'Ada King', external_id: ADA, email: UBO },
    ])
  })
  test('are added at the end with a new ID and the email as written', () => {
    const after = edited(completeContent(), people({ email: 'Bob@Example.com', roles: ['director'] }))
    expect(peopleOf(after)).toHaveLength(2)
    expect(peopleOf(after)[1]).toEqual({
      email: 'Bob@Example.com',
      roles: ['director'],
      external_id: expect.stringMatching(/^new-/),
    })
  })
  test('remain if they are omitted', () => {
    const before = edited(completeContent(), people({ email: 'bob@example.com' }))
    const after = edited(before, people({ email: 'eve@example.com' }))
    expect(peopleOf(after).map(({ email }) => email)).toEqual([UBO, 'bob@example.com', 'eve@example.com'])
  })
  test('are removed with _destroy', () => {
    const before = edited(completeContent(), people({ email: 'bob@example.com' }))
    const after = edited(before, people({ email: UBO.toUpperCase(), _destroy: true }))
    expect(peopleOf(after).map(({ email }) => email)).toEqual(['bob@example.com'])
  })
  test('stay unchanged if _destroy names an unknown email', () => {
    const destroy = people({ email: 'nobody@example.com', _destroy: true })
    expect(edited(completeContent(), destroy)).toEqual(completeContent())
  })
  test('are updated if _destroy is false, which is not stored', () => {
    const after = edited(completeContent(), people({ email: UBO, _destroy: false, full_name: 'Ada' }))
    expect(peopleOf(after)[0]).not.toHaveProperty('_destroy')
    expect(peopleOf(after)[0]?.full_name).toBe('Ada')
  })
  describe('named by external_id', () => {
    test('change their email and keep the rest', () => {
      const after = edited(completeContent(), people({ external_id: ADA, email: 'ada.king@example.com' }))
      expect(peopleOf(after)).toEqual([{ ...peopleOf(completeContent())[0], email: 'ada.king@example.com' }])
    })
    test('need no email for a change or removal', () => {
      const after = edited(completeContent(), people({ external_id: ADA, full_name: 'Ada King' }))
      expect(peopleOf(after)).toMatchObject([{ email: UBO, full_name: 'Ada King' }])
      expect(peopleOf(edited(after, people({ external_id: ADA, _destroy: true })))).toEqual([])
    })
    test('keep the email as first written if only its case differs', () => {
      const after = edited(completeContent(), people({ external_id: ADA, email: UBO.toUpperCase() }))
      expect(peopleOf(after)).toEqual(peopleOf(completeContent()))
    })
    test('are refused if unknown, unless the entry removes them', () => {
      const other = { external_id: 'other', email: UBO }
      expect(refused(completeContent(), people(other))).toMatchObject([
        { code: 'unknown_beneficiary', field: `${LIST}.0.external_id` },
      ])
      expect(edited(completeContent(), people({ ...other, _destroy: true }))).toEqual(completeContent())
    })
    test('can swap their emails', () => {
      const before = edited(completeContent(), people({ email: 'bob@example.com' }))
      const [ada, bob] = peopleOf(before)
      const swapped = people(
        { external_id: ada?.external_id, email: 'bob@example.com' },
        { external_id: bob?.external_id, email: UBO },
      )
      expect(peopleOf(edited(before, swapped)).map(({ email }) => email)).toEqual(['bob@example.com', UBO])
    })
  })
  test.each([
    ['an email twice', 'email', { email: 'bob@example.com' }, { email: 'BOB@example.com' }],
    ['an external_id twice', 'external_id', { external_id: ADA }, { external_id: ADA }],
    ['an external_id and the email', 'email', { external_id: ADA, email: 'x@example.com' }, { email: UBO }],
    ['the email and an external_id', 'external_id', { email: UBO }, { external_id: ADA }],
    ['a removal and a change', 'email', { email: UBO, _destroy: true }, { email: UBO }],
    ['a new email twice', 'email', { external_id: ADA, email: 'x@example.com' }, { email: 'x@example.com' }],
  ])('are refused in two entries for one person: %s', (_, field, first, second) => {
    const problems = refused(completeContent(), people(first, second))
    expect(problems).toContainEqual({ code: 'duplicate_beneficiary', field: `${LIST}.1.${field}` })
  })
  test('cannot take the email of another beneficiary', () => {
    const before = edited(completeContent(), people({ email: 'bob@example.com' }))
    expect(refused(before, people({ external_id: ADA, email: 'Bob@example.com' }))).toEqual([
      { code: 'duplicate_beneficiary', field: `${LIST}.0.email` },
    ])
  })
  test('lose a field set to null, remain if their list is empty, and are all removed if it is null', () => {
    const cleared = edited(completeContent(), people({ email: UBO, stake_in_company: null }))
    expect(peopleOf(cleared)[0]).not.toHaveProperty('stake_in_company')
    expect(edited(completeContent(), people())).toEqual(completeContent())
    const everybody = patch({ beneficiaries: { beneficiaries_list: null } })
    expect(peopleOf(edited(completeContent(), everybody))).toEqual([])
  })
})

describe('file lists', () => {
  test('refuse more files if they have 1,000 entries', () => {
    const files = Array.from({ length: 500 }, (_, n) => `file-${n}`)
    const [one, two, three] = ['legal_structures', 'articles_of_association', 'shareholders_registers'].map(
      (list) => patch({ business_files: { [list]: files } }),
    ) as [KybEdit, KybEdit, KybEdit]
    const full = edited(edited(emptyContent(), one, ...files), two, ...files)
    expect(refused(full, three, ...files)).toEqual([{ code: 'too_many', field: 'file' }])
    expect(edited(full, patch({ nature_of_business: { phone: '+49301' } })).nature_of_business.phone).toBe(
      '+49301',
    )
  })
  test('accept only uploaded files, with one problem for each unknown file', () => {
    const naming = patch({
      business_files: { legal_structures: ['known', 'x'] },
      usage_of_account: { aml_policies: ['y'] },
      beneficiaries: {
        evidence_of_ubos: ['known'],
        beneficiaries_list: [
          { email: UBO },
          { email: 'bob@example.com', proof_address: ['z'] },
        ] as unknown as object,
      },
    })
    expect(refused(completeContent(), naming, 'known')).toEqual(
      expect.arrayContaining(
        [
          'business_files.legal_structures.1.id',
          'usage_of_account.aml_policies.0.id',
          'beneficiaries.beneficiaries_list.1.proof_address.0.id',
        ].map((field) => ({ code: 'unknown_file', field })),
      ),
    )
    expect(refused(completeContent(), naming, 'known')).toHaveLength(3)
  })
  test('contain the files of a patch first, and are not changed by an empty list', () => {
    const naming = patch({ business_files: { articles_of_association: ['b', 'a'] } })
    const after = edited(completeContent(), naming, 'a', 'b')
    expect(after.business_files.articles_of_association).toEqual(['b', 'a', 'articles_of_association'])
    const none = patch({ business_files: { articles_of_association: [] } })
    expect(edited(completeContent(), none)).toEqual(completeContent())
    const ofPerson = people({ email: UBO, beneficiary_identification: [] })
    expect(edited(completeContent(), ofPerson)).toEqual(completeContent())
  })
  test.each([...fileLists(DEFAULT_FORM)])(
    'allow attaching and detaching a file: %s at %s',
    (attribute, path) => {
      const attached = edited(emptyContent(), { kind: 'attach', fileId: 'f', attribute })
      expect(valueIn(attached, path)).toEqual(['f'])
      expect(namedFiles(DEFAULT_FORM, attached)).toEqual(new Set(['f']))
      const detached = edited(attached, { kind: 'detach', fileId: 'f', attribute })
      expect(namedFiles(DEFAULT_FORM, detached)).toEqual(new Set())
    },
  )
  test.each(['proof_address', 'beneficiary_identification'] as const)(
    'require a person for %s',
    (attribute) => {
      const attach = { kind: 'attach', fileId: 'f', attribute } as const
      const unknown = [{ code: 'unknown_beneficiary', field: 'email' }]
      expect(refused(completeContent(), { ...attach, email: 'bob@example.com' })).toEqual(unknown)
      expect(refused(completeContent(), attach)).toEqual(unknown)
      const after = edited(completeContent(), { ...attach, email: UBO.toUpperCase() })
      expect(peopleOf(after)[0]?.[attribute]).toContain('f')
      const detached = edited(after, { kind: 'detach', fileId: 'f', attribute })
      expect(peopleOf(detached)[0]?.[attribute]).not.toContain('f')
    },
  )
  test('keep existing files if another is attached', () => {
    const attribute = 'articles_of_association'
    const after = edited(completeContent(), { kind: 'attach', fileId: 'second', attribute })
    expect(after.business_files[attribute]).toEqual([attribute, 'second'])
  })
  test('return not_found if the detached file is not in the list', () => {
    const other = { kind: 'detach', fileId: 'articles_of_association' } as const
    expect(refused(completeContent(), { ...other, attribute: 'legal_structures' })).toMatchObject([
      { code: 'not_found', field: 'blob_key' },
    ])
    expect(refused(completeContent(), { ...other, attribute: 'proof_address' })).toMatchObject([
      { code: 'not_found' },
    ])
  })
  test('are all read by namedFiles, including those of people', () => {
    const { beneficiaries, business_files } = completeContent()
    expect(namedFiles(DEFAULT_FORM, completeContent())).toEqual(
      new Set([
        ...Object.values(business_files).filter(Array.isArray).flat(),
        ...(beneficiaries.evidence_of_ubos ?? []),
        ...(beneficiaries.beneficiaries_list[0]?.beneficiary_identification ?? []),
      ]),
    )
  })
})

describe('the field paths of problems in an unvalidated body', () => {
  const [of, place] = [
    'beneficiaries.beneficiaries_list',
    (n: number) => `beneficiaries.beneficiaries_list.${n}`,
  ]
  const named = (list: unknown, ...fields: string[]) =>
    nameProblemsByPerson(
      completeContent(),
      { beneficiaries: { beneficiaries_list: list } },
      fields.map((field) => ({ code: 'invalid', field })),
    ).map(({ field }) => field)
  test('name people of the application by ID, and others by their position', () => {
    const list = [{ email: UBO.toUpperCase() }, { email: 'new@example.com' }]
    const fields = [`${place(0)}.roles`, place(1), `${place(2)}.email`, 'external_id']
    expect(named(list, ...fields)).toEqual([`${of}.${ADA}.roles`, ...fields.slice(1)])
    const byId = [{ external_id: ADA.toUpperCase() }, { external_id: 'other', email: UBO }]
    expect(named(byId, `${place(0)}.roles`, place(1))).toEqual([`${of}.${ADA}.roles`, place(1)])
  })
  test('keep the position if the email is not text', () => {
    for (const email of [{ toString: null }, { toString: 1, valueOf: 1 }, [UBO], 7, null, undefined])
      expect(named([{ email }], place(0))).toEqual([place(0)])
  })
  test('keep the position if the entry is not an object', () =>
    expect(named([null, 'x', 1], place(0), place(1), place(2))).toEqual([place(0), place(1), place(2)]))
  test('are found with one lookup for each person', () => {
    let reads = 0
    const person = {
      get email() {
        reads += 1
        return UBO
      },
    }
    expect(new Set(named([person], ...Array(1_000).fill(place(0))))).toEqual(new Set([`${of}.${ADA}`]))
    expect(reads).toBe(1)
  })
})
