/** Requests about API keys, by operators who administer. */
import { z } from 'zod'
import { CLIENT_ROLES } from '../domain/access/access.ts'
import { pageQuery, requiredText } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const listApiKeysQuery = z.strictObject(pageQuery(25))

const LATEST = 253_402_300_799

const name = { description: 'For people, to tell keys apart.', examples: ['Back office'] }
const roles = 'What it may do: `api_read` reads, `api_write` changes.'

export const createApiKeyBody = z.strictObject({
  roles: z
    .array(z.enum(CLIENT_ROLES))
    .min(1, 'At least one role is needed.')
    .refine((list) => new Set(list).size === list.length, 'Name each role once.')
    .describe(roles),
  name: requiredText(100).nullish().meta(name),
  expires_at: z
    .int('Send the time in Unix seconds, such as 1767225600.')
    .max(LATEST)
    .refine((seconds) => seconds * 1_000 > Date.now(), 'This moment is past: name one to come.')
    .nullish()
    .meta({ description: 'When it ends, in Unix seconds; without it, never.', examples: [LATEST] }),
})

const apiKey = {
  id: uuid.describe('Names the key where it is revoked.'),
  vault_id: uuid.describe('The vault that it opens.'),
  prefix: z.string().meta({ description: 'How the key begins.', examples: ['gk_test_7hKq'] }),
  name: z.string().nullable().meta(name),
  roles: z.array(z.string()).meta({ description: roles, examples: [['api_read']] }),
  created_at: unixTime.describe('When it was made, in Unix seconds.'),
  last_used_at: unixTime.nullable().describe('When it was last used, to the minute; null for never.'),
  expires_at: unixTime.nullable().describe('When it ends by itself; null for never.'),
  revoked_at: unixTime.nullable().describe('When it was revoked; null where it was not.'),
}
export const apiKeyResponse = dataOf(named('ApiKey', z.strictObject(apiKey)))
export const apiKeyListResponse = listOf(apiKeyResponse.shape.data)
export const apiKeyCreatedResponse = dataOf(
  z.strictObject({
    ...apiKey,
    key: z
      .string()
      .meta({ description: 'The key itself. Shown once.', examples: ['gk_test_7hKqRWxN2cPdM4vTzB9e'] }),
  }),
)
