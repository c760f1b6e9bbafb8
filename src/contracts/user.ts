/** Requests about users, by operators who administer. */
import { z } from 'zod'
import { CLIENT_ROLES, MAX_VAULTS, OPERATOR_ROLES } from '../domain/access/access.ts'
import { id, pageQuery } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

const distinct = <T>(list: readonly T[]): boolean => new Set(list).size === list.length

const CLIENT_ROLES_GUIDE = {
  description: 'What the user may do there: `api_read` reads, `api_write` changes.',
  examples: [['api_read', 'api_write']],
}
const OPERATOR_ROLES_GUIDE = {
  description: 'What an operator may do: `operator_review` decides, `operator_admin` administers.',
  examples: [['operator_review']],
}
const VAULTS_GUIDE = 'The vaults that a client’s user can reach; the first one is the default.'
const EMAIL = { description: 'What the user signs in with.', examples: ['ada@example.com'] }

const roles = <R extends string>(names: readonly [R, ...R[]]) =>
  z.array(z.enum(names)).refine(distinct, 'Name each role once.')

/** The first one is the user's default. */
const vaults = z
  .array(
    z.strictObject({
      id: id.describe('Of the vault.'),
      roles: roles(CLIENT_ROLES).min(1, 'At least one role is needed.').meta(CLIENT_ROLES_GUIDE),
    }),
  )
  .max(MAX_VAULTS)
  .refine((list) => distinct(list.map((vault) => vault.id)), 'Name each vault once.')
  .describe(VAULTS_GUIDE)

export const listUsersQuery = z.strictObject(pageQuery(25))

export const createUserBody = z.strictObject({
  email: z.email().max(254).meta(EMAIL),
  vaults: vaults.default([]),
  operator_roles: roles(OPERATOR_ROLES).default([]).meta(OPERATOR_ROLES_GUIDE),
})

export const patchUserBody = z.strictObject({
  vaults: vaults.optional(),
  operator_roles: roles(OPERATOR_ROLES).optional().meta(OPERATOR_ROLES_GUIDE),
})

export const enrolOtpBody = z.strictObject({
  current_password: z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description: 'Your password.', examples: ['seven words that nobody else would think of'] }),
  otp_attempt: z
    .string()
    .max(20)
    .optional()
    .meta({ description: 'A code of the app that is in force, if there is one.', examples: ['123456'] }),
})

export const confirmOtpBody = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(20)
    .meta({ description: 'What the authenticator app shows.', examples: ['123456'] }),
})

const user = named(
  'User',
  z.strictObject({
    id: uuid.describe('Of the user.'),
    email: z.string().meta(EMAIL),
    vaults: z
      .array(
        z.strictObject({
          id: uuid.describe('Of the vault.'),
          name: z.string().meta({ description: 'Of the vault.', examples: ['Analytical Engines'] }),
          roles: z.array(z.string()).meta(CLIENT_ROLES_GUIDE),
        }),
      )
      .describe(VAULTS_GUIDE),
    operator_roles: z.array(z.string()).meta(OPERATOR_ROLES_GUIDE),
    otp_required_for_login: z.boolean().describe('Whether signing in takes a code beside the password.'),
    password_change_required: z.boolean().describe('Whether the password is a one-time one.'),
    created_at: unixTime.describe('When the user was made, in Unix seconds.'),
    one_time_password: z
      .string()
      .meta({ description: 'Shown when it was made, and never again.', examples: ['7hKqRWxN2cPdM4vTzB9e'] })
      .optional(),
  }),
)
export const userResponse = dataOf(user)
export const userListResponse = listOf(user)

export const otpResponse = dataOf(
  z.strictObject({
    secret: z
      .string()
      .meta({ description: 'For the authenticator app, to be typed in.', examples: ['JBSWY3DPEHPK3PXP'] }),
    otpauth_url: z.string().meta({
      description: 'The same as a link, to be shown as a QR code.',
      examples: ['otpauth://totp/Gatehouse:ada?secret=JBSWY3DPEHPK3PXP'],
    }),
  }),
)
export const otpConfirmedResponse = dataOf(
  z.strictObject({ otp_required_for_login: z.boolean().describe('Whether signing in takes a code.') }),
)
