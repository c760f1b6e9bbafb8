/** Tests which administrative actions can weaken four-eyes approval. */
import { expect, test } from 'vitest'
import type { VaultRole } from '../../../src/domain/access/access.ts'
import { gainsRights, valuesOf, weakensReviews } from '../../../src/domain/access/admin-action.ts'
import { grantsOfNames, type RoleName } from '../../../src/domain/access/grant.ts'
import type { Vault } from '../../../src/domain/access/vault.ts'

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

const grants = (...names: RoleName[]) => ({ operatorGrants: grantsOfNames(names) })
const roles = (id: string, ...own: VaultRole[]) => ({ vaults: [{ id, roles: own }] })

test.each([
  [{}, grants('operator_review'), true],
  [{}, grants(), false],
  [grants('operator_review'), grants('operator_admin'), true],
  [grants('operator_review'), grants(), false],
  [grants('operator_review'), {}, false],
  [{}, roles('a', 'api_write'), true],
  [{}, roles('a', 'client_admin'), true],
  [{}, roles('a', 'api_read', 'client_viewer'), false],
  [roles('a', 'api_write'), roles('b', 'api_write'), true],
  [roles('a', 'api_write'), roles('a', 'api_write', 'api_read'), false],
])('returns whether a user with %j gains rights by %j: %s', (before, after, gains) => {
  expect(gainsRights(before, after)).toBe(gains)
})

test('returns the values of an action under their API names, but not the content of the logo', () => {
  const changes = { fourEyes: [], logo: Buffer.from('PNG'), privacyUrl: undefined }
  expect(valuesOf({ kind: 'change_vault', vaultId: 'v', changes })).toEqual([
    ['four_eyes', []],
    ['logo', true],
  ])
})
