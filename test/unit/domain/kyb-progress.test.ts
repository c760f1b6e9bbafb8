/** Tests the items of an application, its next item and section, and the groups of its fields. */

import { describe, expect, test } from 'vitest'
import type { Field } from '../../../src/domain/fields/field.ts'
import { emptyContent, KYB_FIELDS, type KybContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { groupsOf } from '../../../src/domain/kyb/groups.ts'
import {
  countDetails,
  countDocumentItems,
  type Item,
  isDone,
  itemsOf,
  nextItem,
  nextSection,
  SECTION_ORDER,
} from '../../../src/domain/kyb/progress.ts'
import { beneficiaryPath, currentlyDue } from '../../../src/domain/kyb/requirements.ts'
import { ADA, completeContent, NO_CHECKS } from '../../support/kyb.ts'

const items = (content: KybContent, corrected: readonly string[] = []) =>
  itemsOf({
    form: DEFAULT_FORM,
    content,
    currentlyDue: currentlyDue(content, NO_CHECKS),
    corrections: corrected.map((path) => ({ path })),
    checks: new Map(),
  })
const nameOf = (item: Item) =>
  item.kind === 'group' ? item.group : item.kind === 'document' ? item.path : item.kind
const open = (all: readonly Item[]) => all.filter((item) => !isDone(item)).map(nameOf)

test.each(SECTIONS)('each field of %s is in exactly one group', (section) => {
  const fields = Object.entries<Field>(KYB_FIELDS[section]).filter(([, { type }]) => type !== 'files')
  const grouped = groupsOf(DEFAULT_FORM, section).flatMap((group) => group.paths)
  expect([...grouped].sort()).toEqual(fields.map(([name]) => `${section}.${name}`).sort())
})

describe('items', () => {
  test('are all done in a complete application', () => {
    const all = items(completeContent())
    expect(all.map(nameOf)).toEqual([
      ...['registration', 'address', 'activity', 'purpose', 'payments', 'funds', 'person', 'confirmation'],
      'business_files.incorporation_certificates',
      'business_files.articles_of_association',
      'business_files.shareholders_registers',
      'business_files.directors_registers',
      'beneficiaries.evidence_of_ubos',
      'signature',
    ])
    const { done, total } = countDetails(all)
    expect([done, total > all.length]).toEqual([total, true])
    expect(nextItem(all)).toBeNull()
  })
  test('are all open in an empty application, with one for the missing people', () => {
    const all = items(emptyContent())
    const due = currentlyDue(emptyContent(), NO_CHECKS)
    expect(countDetails(all)).toEqual({ done: 0, total: due.length })
    expect(all.filter(({ kind }) => kind === 'people')).toHaveLength(1)
    expect(nextItem(all)).toMatchObject({ kind: 'group', group: 'registration' })
  })
  test('include documents that the answers require', () => {
    const content = completeContent()
    content.business_files.signature_type = 'joint'
    expect(open(items(content))).toEqual(['business_files.power_of_attorney'])
  })
  test('are counted without the questions of their section if they are documents', () => {
    const content = completeContent()
    delete content.business_files.signature_type
    delete content.business_files.directors_registers
    expect(countDocumentItems(items(content))).toEqual({ done: 4, total: 5 })
  })
  test('show if a person needs only an identity document', () => {
    const content = completeContent()
    const person = content.beneficiaries.beneficiaries_list[0]
    if (person) delete person.beneficiary_identification
    const next = nextItem(items(content))
    expect(next).toMatchObject({ kind: 'person', personId: ADA })
    expect(next?.needsOnlyFiles).toBe(true)
    if (person) delete person.full_name
    const both = nextItem(items(content))
    expect(both?.needsOnlyFiles).toBe(false)
  })
  test('are open again if a reviewer requests a correction, even of an optional document', () => {
    const paths = ['business_files.legal_structures', beneficiaryPath(ADA, 'full_name'), 'application']
    const all = items(completeContent(), paths)
    expect(open(all)).toEqual(['person', 'business_files.legal_structures'])
    expect(nextItem(all)).toMatchObject({ kind: 'person', isToFix: true })
  })
  test('come before missing ones if a reviewer requests them', () => {
    const content = completeContent()
    content.nature_of_business.legal_address = ''
    expect(nextItem(items(content, ['usage_of_account.usage']))).toMatchObject({ group: 'purpose' })
  })
})

test('the next section is the first open one after the current section', () => {
  const all = items(emptyContent())
  expect(SECTION_ORDER.map((section) => nextSection(all, section))).toEqual([
    'usage_of_account',
    'beneficiaries',
    'business_files',
    null,
  ])
  const content = completeContent()
  content.usage_of_account.usage = ''
  expect(nextSection(items(content), 'business_files')).toBeNull()
  expect(nextSection(items(content), 'usage_of_account')).toBeNull()
})
