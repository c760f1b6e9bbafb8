/** Tests which administrative actions can weaken four-eyes approval. */
import { expect, test } from 'vitest'
import { makesOperator, valuesOf, weakensReviews } from '../../src/domain/access/admin-action.ts'
import { grantsOfNames } from '../../src/domain/access/grant.ts'
import type { Vault } from '../../src/domain/access/vault.ts'

const vault = {
  fourEyes: ['approvals'],
  highRiskCountries: ['IR', 'KP'],
  importEnabled: false,
} as unknown as Vault

test.each([
  [{ fourEyes: [] }, true],
  [{ fourEyes: ['rejections'] }, true],
  [{ fourEyes: ['approvals', 'rejections'] }, false],
  [{ highRiskCountries: ['IR'] }, true],
  [{ highRiskCountries: ['IR', 'KP', 'MM'] }, false],
  [{ importEnabled: true }, true],
  [{ importEnabled: false, name: 'Engines' }, false],
] as const)('returns whether the change %j weakens reviews: %s', (changes, weakens) => {
  expect(weakensReviews(vault, changes as never)).toBe(weakens)
})

test('an action makes a user an operator only if it adds roles', () => {
  const reviewer = grantsOfNames(['operator_review'])
  expect(makesOperator([], { operatorGrants: reviewer })).toBe(true)
  expect(makesOperator([], { operatorGrants: [] })).toBe(false)
  expect(makesOperator(reviewer, { operatorGrants: grantsOfNames(['operator_admin']) })).toBe(true)
  expect(makesOperator(reviewer, { operatorGrants: [] })).toBe(false)
  expect(makesOperator(reviewer, {})).toBe(false)
})

test('returns the values of an action under their API names, but not the content of the logo', () => {
  const changes = { fourEyes: [], logo: Buffer.from('PNG'), privacyUrl: undefined }
  expect(valuesOf({ kind: 'change_vault', vaultId: 'v', changes })).toEqual([
    ['four_eyes', []],
    ['logo', true],
  ])
})
