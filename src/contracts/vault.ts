/** Vaults, created and changed by operators who administer. */
import { z } from 'zod'
import { dataOf, named, unixTime, uuid } from './answer.ts'
import { requiredText } from './common.ts'

const vault = {
  name: requiredText(200),
  import_enabled: z.boolean(),
  internal_settlements_enabled: z.boolean(),
  /** A decimal fraction: 0.01 means 1%. */
  trading_fee: z.number().min(0, 'A fraction from 0 to 1.').max(1, 'A fraction from 0 to 1.'),
}

export const createVaultBody = z.strictObject({
  name: vault.name,
  import_enabled: vault.import_enabled.default(false),
  internal_settlements_enabled: vault.internal_settlements_enabled.default(false),
  trading_fee: vault.trading_fee.default(0),
})

export const patchVaultBody = z.strictObject(vault).partial()

export const vaultAnswer = dataOf(
  named(
    'Vault',
    z.strictObject({
      id: uuid,
      name: z.string().meta({ examples: ['Analytical Engines'] }),
      import_enabled: z.boolean(),
      internal_settlements_enabled: z.boolean(),
      trading_fee: z.number().meta({ description: 'A decimal fraction: 0.01 means 1%.', examples: [0.01] }),
      created_at: unixTime,
    }),
  ),
)
