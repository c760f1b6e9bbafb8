/** Schemas for users, whom administrators manage. */
import { z } from 'zod'
import { MAX_VAULTS, SEAT_ROLES, VAULT_ROLES } from '../domain/access/access.ts'
import {
  distinctGrants,
  type Grant,
  grantsOfNames,
  OPERATOR_ROLES,
  ROLE_NAMES,
  type RoleName,
} from '../domain/access/grant.ts'
import { READ_GUIDE } from './api-key.ts'
import { described, id, pageQuery } from './common.ts'
import { VALUES } from './field.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

const distinct = <T>(list: readonly T[]): boolean => new Set(list).size === list.length

const CLIENT_ROLES_GUIDE = {
  description: `The user’s roles in the vault. \`api_read\` allows reading, and \`api_write\` allows changes. \`client_viewer\` and \`client_admin\` allow the vault’s pages in the console. ${READ_GUIDE}`,
  examples: [['api_read', 'api_write']],
}
const OPERATOR_ROLES_GUIDE = {
  description:
    'An operator’s roles for all vaults. `operator_review` means `senior_reviewer`, and `operator_admin` means `administrator`.',
  examples: [['operator_review']],
}
const VAULTS_GUIDE = 'Vaults that a client’s user can access. The first one is the default.'
const EMAIL = { description: 'The user’s email address.', examples: ['ada@example.com'] }

const roles = <R extends string>(names: readonly [R, ...R[]]) =>
  z.array(z.enum(names)).refine(distinct, 'Send each role once.')

/** The maximum number of grants per operator or group. */
const MAX_GRANTS = 200

const grant = named(
  'OperatorGrant',
  z.strictObject({
    role: z.enum(OPERATOR_ROLES).describe('Role of the operator.'),
    vault_id: id.nullable().describe('ID of the vault. Null for all vaults.'),
  }),
)
const GRANTS_GUIDE = 'Roles of the operator, in one vault or in all vaults.'
export const operatorGrants = z.array(grant).max(MAX_GRANTS).describe(GRANTS_GUIDE)

interface Given {
  readonly operator_roles?: readonly RoleName[] | undefined
  readonly operator_grants?: readonly z.output<typeof grant>[] | undefined
}

/** Returns the grants in both fields of a request, or undefined if it has neither field. */
export const grantsOf = ({ operator_roles: names, operator_grants: given }: Given): Grant[] | undefined =>
  names || given
    ? distinctGrants([
        ...grantsOfNames(names ?? []),
        ...(given ?? []).map(({ role, vault_id: vaultId }) => ({ role, vaultId })),
      ])
    : undefined

/** The vaults of a user. The first vault is the default. */
const vaults = z
  .array(
    z.strictObject({
      id: id.describe('ID of the vault.'),
      roles: roles(VAULT_ROLES).min(1, 'Send at least one role.').meta(CLIENT_ROLES_GUIDE),
    }),
  )
  .max(MAX_VAULTS)
  .refine((list) => distinct(list.map((vault) => vault.id)), 'Send each vault once.')
  .describe(VAULTS_GUIDE)

export const listUsersQuery = z.strictObject(pageQuery(25))

/** A new member of a vault, whom a member with the role `client_admin` adds in the console. */
export const memberBody = z.strictObject({ email: VALUES.email, role: z.enum(SEAT_ROLES) })

export const createUserBody = z.strictObject({
  email: VALUES.email.meta(EMAIL),
  vaults: vaults.default([]),
  operator_roles: roles(ROLE_NAMES).default([]).meta(OPERATOR_ROLES_GUIDE),
  operator_grants: operatorGrants.default([]),
})

export const patchUserBody = z.strictObject({
  vaults: vaults.optional(),
  operator_roles: roles(ROLE_NAMES).optional().meta(OPERATOR_ROLES_GUIDE),
  operator_grants: operatorGrants.optional(),
})

export const enrolOtpBody = z.strictObject({
  current_password: described(
    z.string().min(1).max(1_000),
    'Your current password.',
    'seven words that are hard to guess together',
  ),
  otp_attempt: described(
    z.string().max(20).optional(),
    'One-time code from the current authenticator app. Required if one-time codes are on for your account.',
    '123456',
  ),
})

export const confirmOtpBody = z.strictObject({
  code: described(z.string().min(1).max(20), 'One-time code from the authenticator app.', '123456'),
})

const user = named(
  'User',
  z.strictObject({
    id: uuid.describe('ID of the user.'),
    email: z.string().meta(EMAIL),
    vaults: z
      .array(
        z.strictObject({
          id: uuid.describe('ID of the vault.'),
          name: described(z.string(), 'Name of the vault.', 'Analytical Engines'),
          roles: z.array(z.string()).meta(CLIENT_ROLES_GUIDE),
        }),
      )
      .describe(VAULTS_GUIDE),
    operator_roles: z.array(z.string()).meta(OPERATOR_ROLES_GUIDE),
    operator_grants: operatorGrants,
    member_of: described(
      uuid.nullable(),
      'ID of the vault whose administrator added the user, or null. Such a member can have only the roles `client_viewer` and `client_admin`, in this vault.',
      '0b9c7a3e-6f0d-4a51-9d7e-2f4f2f6f8a10',
    ),
    otp_required_for_login: described(
      z.boolean(),
      'Whether the sign-in requires a one-time code in addition to the password.',
    ),
    password_change_required: z.boolean().describe('Whether the password is a one-time password.'),
    created_at: unixTime.describe('Time of creation, in Unix seconds.'),
    one_time_password: described(
      z.string(),
      'One-time password. Shown once.',
      '7hKqRWxN2cPdM4vTzB9e',
    ).optional(),
  }),
)
export const userResponse = dataOf(user)
export const userListResponse = listOf(user)

const account = z.strictObject({ id: uuid.describe('ID of the user.'), email: z.string().meta(EMAIL) })
export const samePeopleResponse = dataOf(
  z.array(
    z.strictObject({
      user: account.describe('The older account.'),
      other_user: account.describe(
        'The newer account, with which the person could confirm their own decisions.',
      ),
    }),
  ),
)

export const otpResponse = dataOf(
  z.strictObject({
    secret: described(z.string(), 'Secret for the authenticator app, to enter by hand.', 'JBSWY3DPEHPK3PXP'),
    otpauth_url: described(
      z.string(),
      'The secret as a URL, to show as a QR code.',
      'otpauth://totp/Gatehouse:ada?secret=JBSWY3DPEHPK3PXP',
    ),
  }),
)
export const otpConfirmedResponse = dataOf(
  z.strictObject({
    otp_required_for_login: z.boolean().describe('Whether the sign-in requires a one-time code.'),
  }),
)
