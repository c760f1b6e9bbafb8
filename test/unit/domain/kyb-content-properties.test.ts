/** Tests properties of every edit of an application. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Field, type Fields, isYesOrNo } from '../../../src/domain/fields/field.ts'
import { editContent, type KybEdit, type KybPatch } from '../../../src/domain/kyb/edit.ts'
import { BENEFICIARY_FIELDS } from '../../../src/domain/kyb/fields/beneficiaries.ts'
import { emptyContent, KYB_FIELDS, type KybContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { currentlyDue } from '../../../src/domain/kyb/requirements.ts'
import { NO_CHECKS } from '../../support/kyb.ts'

const FILES = ['file-1', 'file-2', 'file-3']
const EMAILS = ['a@example.com', 'B@example.com', 'c@Example.com']

function anyValue(field: Field): fc.Arbitrary<unknown> {
  if (isYesOrNo(field.type)) return fc.boolean()
  if (field.type === 'files') return fc.uniqueArray(fc.constantFrom(...FILES))
  if (!('values' in field)) return fc.string()
  const one = fc.constantFrom(...field.values)
  return field.type === 'one_of' ? one : fc.uniqueArray(one)
}
const fieldsOf = (fields: Fields) =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fc.option(anyValue(field))])),
    { requiredKeys: [] },
  )
const { email: _, ...personFields } = BENEFICIARY_FIELDS
const person = fc
  .tuple(fc.constantFrom(...EMAILS), fieldsOf(personFields), fc.boolean())
  .map(([email, fields, _destroy]) => ({ ...fields, email, ...(_destroy && { _destroy }) }))
const peopleList = fc.uniqueArray(person, { selector: ({ email }) => email })

const patches: fc.Arbitrary<KybEdit> = fc
  .record(
    {
      nature_of_business: fieldsOf(KYB_FIELDS.nature_of_business),
      usage_of_account: fieldsOf(KYB_FIELDS.usage_of_account),
      business_files: fieldsOf(KYB_FIELDS.business_files),
      beneficiaries: fc
        .tuple(fieldsOf(KYB_FIELDS.beneficiaries), fc.option(peopleList))
        .map(([fields, beneficiaries_list]) => ({ ...fields, beneficiaries_list })),
    },
    { requiredKeys: [] },
  )
  .map((patch) => ({ kind: 'patch', patch: patch as unknown as KybPatch }))
const edits = fc.oneof(
  { weight: 4, arbitrary: patches },
  fc.record({
    kind: fc.constantFrom('attach' as const, 'detach' as const),
    fileId: fc.constantFrom(...FILES),
    attribute: fc.constantFrom('legal_structures', 'evidence_of_ubos', 'proof_address'),
    email: fc.constantFrom(...EMAILS),
  }),
)

const UPLOADED = new Set(FILES)

/** Applies an edit with a new ID that no beneficiary has, even after removals. */
function apply(content: KybContent, edit: KybEdit): KybContent {
  let last = Math.max(
    0,
    ...content.beneficiaries.beneficiaries_list.map((p) => Number(p.external_id.slice(3))),
  )
  const result = editContent(content, edit, {
    form: DEFAULT_FORM,
    uploaded: UPLOADED,
    newId: () => `id-${++last}`,
  })
  return 'problems' in result ? content : result.content
}
const contents = fc.array(edits, { maxLength: 4 }).map((list) => list.reduce(apply, emptyContent()))

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

test('an edit never changes its arguments', () => {
  fc.assert(
    fc.property(contents, edits, (content, edit) => {
      apply(freeze(content), freeze(edit))
    }),
  )
})

test('a patch has the same result if it is sent twice', () => {
  fc.assert(
    fc.property(contents, patches, (content, patch) => {
      const once = apply(content, patch)
      expect(apply(once, patch)).toEqual(once)
    }),
  )
})

test('a patch keeps every field that it does not name', () => {
  fc.assert(
    fc.property(contents, patches, (content, edit) => {
      const after = apply(content, edit)
      const named = edit.kind === 'patch' ? edit.patch : {}
      for (const section of SECTIONS) {
        for (const field of Object.keys(KYB_FIELDS[section])) {
          if (Object.hasOwn(named[section] ?? {}, field)) continue
          const value = (from: KybContent) => (from[section] as Record<string, unknown>)[field]
          expect(value(after)).toEqual(value(content))
        }
      }
    }),
  )
})

test('an edit never stores null or two people with one email', () => {
  fc.assert(
    fc.property(contents, (content) => {
      expect(JSON.stringify(content)).not.toContain('null')
      const emails = content.beneficiaries.beneficiaries_list.map(({ email }) => email)
      expect(new Set(emails.map((email) => email.toLowerCase())).size).toBe(emails.length)
    }),
  )
})

test('the due paths of an application are distinct and contain no email', () => {
  fc.assert(
    fc.property(contents, (content) => {
      const due = currentlyDue(content, NO_CHECKS)
      expect(due).toEqual([...new Set(due)])
      expect(due.join()).not.toContain('@')
    }),
  )
})
