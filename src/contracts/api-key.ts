/** Schemas for API keys, which administrators manage. */
import { z } from 'zod'
import { CLIENT_ROLES } from '../domain/access/access.ts'
import { described, LATEST, pageQuery, requiredText } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const listApiKeysQuery = z.strictObject(pageQuery(25))

const name = { description: 'Name of the key, for people.', examples: ['Back office'] }
/** The risk of `api_read`, for administrators. */
export const READ_GUIDE =
  '`api_read` also shows the webhook secret, and its holder can use the secret to forge webhooks. Instead, analysts can be operators with the role `auditor` in one vault.'
const roles = `Roles of the key. \`api_read\` allows reading, and \`api_write\` allows changes. ${READ_GUIDE}`

export const createApiKeyBody = z.strictObject({
  roles: z
    .array(z.enum(CLIENT_ROLES))
    .min(1, 'Send at least one role.')
    .refine((list) => new Set(list).size === list.length, 'Send each role once.')
    .describe(roles),
  name: requiredText(100).nullish().meta(name),
  expires_at: z
    .int('Send the time in Unix seconds, such as 1767225600.')
    .max(LATEST)
    .refine((seconds) => seconds * 1_000 > Date.now(), 'This time is in the past. Send a time in the future.')
    .nullish()
    .meta({
      description: 'Time when the key expires, in Unix seconds. If omitted or null, the key does not expire.',
      examples: [LATEST],
    }),
})

const apiKey = {
  id: uuid.describe('ID of the key.'),
  vault_id: uuid.describe('The vault that the key belongs to.'),
  prefix: described(z.string(), 'First characters of the key.', 'gk_test_7hKq'),
  name: z.string().nullable().meta(name),
  roles: described(z.array(z.string()), roles, ['api_read']),
  created_at: unixTime.describe('Time of creation, in Unix seconds.'),
  last_used_at: unixTime
    .nullable()
    .describe('Time of the latest use, in Unix seconds, to the minute. Null if the key was never used.'),
  expires_at: unixTime
    .nullable()
    .describe('Time when the key expires, in Unix seconds. Null if it does not expire.'),
  revoked_at: unixTime
    .nullable()
    .describe('Time when the key was revoked, in Unix seconds. Null if it is not revoked.'),
  awaits_confirmation: described(
    z.boolean(),
    'Whether the key is not valid yet, because a second administrator must confirm it.',
  ),
}
export const apiKeyResponse = dataOf(named('ApiKey', z.strictObject(apiKey)))
export const apiKeyListResponse = listOf(apiKeyResponse.shape.data)
export const apiKeyCreatedResponse = dataOf(
  z.strictObject({
    ...apiKey,
    key: described(z.string(), 'The API key. Shown once.', 'gk_test_7hKqRWxN2cPdM4vTzB9e'),
  }),
)
