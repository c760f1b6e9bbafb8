/** Tests which administrative actions can weaken four-eyes approval. */
import { expect, test } from 'vitest'
import { makesOperator, valuesOf, weakensReviews } from '../../src/domain/access/admin-action.ts'
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
] as const)('returns for the change %j whether it weakens reviews: %s', (changes, weakens) => {
  expect(weakensReviews(vault, changes as never)).toBe(weakens)
})

test('detects a new operator only if roles are added', () => {
  const reviewer = { operatorRoles: ['operator_review'] }
  expect(makesOperator(null, { operatorRoles: ['operator_review'] })).toBe(true)
  expect(makesOperator(null, { operatorRoles: [] })).toBe(false)
  expect(makesOperator(reviewer, { operatorRoles: ['operator_admin'] })).toBe(true)
  expect(makesOperator(reviewer, { operatorRoles: [] })).toBe(false)
  expect(makesOperator(reviewer, {})).toBe(false)
})

test('returns the values of an action under their API names, without the logo', () => {
  const changes = { fourEyes: [], logo: Buffer.from('PNG'), privacyUrl: undefined }
  expect(valuesOf({ kind: 'change_vault', vaultId: 'v', changes })).toEqual([
    ['four_eyes', []],
    ['logo', true],
  ])
})
