/** Requests about API keys, by operators who administer. */
import { z } from 'zod'
import { CLIENT_ROLES } from '../domain/access.ts'
import { dataOf, listOf, named, unixTime, uuid } from './answer.ts'
import { pageQuery, requiredText } from './common.ts'

export const listApiKeysQuery = z.strictObject(pageQuery(25))

const LATEST = 253_402_300_799

export const createApiKeyBody = z.strictObject({
  roles: z
    .array(z.enum(CLIENT_ROLES))
    .min(1, 'At least one role is needed.')
    .refine((list) => new Set(list).size === list.length, 'Name each role once.'),
  name: requiredText(100).nullish(),
  /** Unix seconds. */
  expires_at: z
    .int()
    .max(LATEST)
    .refine((seconds) => seconds * 1_000 > Date.now(), 'This moment is past: name one to come.')
    .nullish(),
})

const apiKey = {
  id: uuid,
  vault_id: uuid,
  prefix: z.string().meta({ examples: ['gk_test_7hKq'] }),
  name: z.string().nullable(),
  roles: z.array(z.string().meta({ examples: ['api_read'] })),
  created_at: unixTime,
  last_used_at: unixTime.nullable(),
  expires_at: unixTime.nullable(),
  revoked_at: unixTime.nullable(),
}
export const apiKeyAnswer = dataOf(named('ApiKey', z.strictObject(apiKey)))
export const apiKeyListAnswer = listOf(apiKeyAnswer.shape.data)
export const apiKeyCreatedAnswer = dataOf(
  z.strictObject({ ...apiKey, key: z.string().meta({ examples: ['gk_test_7hKqRWxN2cPdM4vTzB9e'] }) }),
)
