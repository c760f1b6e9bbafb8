import { expect, it } from 'vitest'
import { z } from 'zod'
import { presenterOf, recordOf } from '../../../src/contracts/record.ts'

const key = z.strictObject({
  id: z.string(),
  vault_id: z.string(),
  last_used_at: z.int().nullable(),
  note: z.string().optional(),
})

it('presents only the fields of the schema, and times in Unix seconds', () => {
  const stored = { id: 'a', vaultId: 'v', lastUsedAt: new Date(1_999), hash: 'secret' }
  expect(presenterOf(key)(stored)).toEqual({ id: 'a', vault_id: 'v', last_used_at: 1 })
})

it('presents null as null, and omits a missing field', () => {
  const shown = presenterOf(key)({ id: 'a', vaultId: 'v', lastUsedAt: null })
  expect(JSON.parse(JSON.stringify(shown))).toEqual({ id: 'a', vault_id: 'v', last_used_at: null })
})

it('returns the names of the record, without changing the values', () => {
  const body = { high_risk_countries: ['IR'], four_eyes: undefined, name: 'Engines' }
  expect(recordOf(body)).toEqual({ highRiskCountries: ['IR'], fourEyes: undefined, name: 'Engines' })
})
