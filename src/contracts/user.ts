/** Requests about users, by operators who administer. */
import { z } from 'zod'
import { CLIENT_ROLES, OPERATOR_ROLES } from '../domain/access.ts'
import { dataOf, listOf, named, unixTime, uuid } from './answer.ts'
import { id, pageQuery } from './common.ts'

const distinct = <T>(list: readonly T[]): boolean => new Set(list).size === list.length

const roles = <R extends string>(names: readonly [R, ...R[]]) =>
  z.array(z.enum(names)).refine(distinct, 'Name each role once.')

/** The first one is the user's default. So many fit into a token, and a token into a header. */
const vaults = z
  .array(z.strictObject({ id, roles: roles(CLIENT_ROLES).min(1, 'At least one role is needed.') }))
  .max(20)
  .refine((list) => distinct(list.map((vault) => vault.id)), 'Name each vault once.')

export const listUsersQuery = z.strictObject(pageQuery(25))

export const createUserBody = z.strictObject({
  email: z.email().max(254),
  vaults: vaults.default([]),
  operator_roles: roles(OPERATOR_ROLES).default([]),
})

export const patchUserBody = z.strictObject({
  vaults: vaults.optional(),
  operator_roles: roles(OPERATOR_ROLES).optional(),
})

export const confirmOtpBody = z.strictObject({ code: z.string().min(1).max(20) })

const user = named(
  'User',
  z.strictObject({
    id: uuid,
    email: z.string().meta({ examples: ['ada@example.com'] }),
    vaults: z.array(z.strictObject({ id: uuid, name: z.string(), roles: z.array(z.string()) })),
    operator_roles: z.array(z.string()),
    otp_required_for_login: z.boolean(),
    password_change_required: z.boolean(),
    created_at: unixTime,
    one_time_password: z
      .string()
      .meta({ description: 'Shown when it was made, and never again.', examples: ['7hKqRWxN2cPdM4vTzB9e'] })
      .optional(),
  }),
)
export const userAnswer = dataOf(user)
export const userListAnswer = listOf(user)

export const otpAnswer = dataOf(
  z.strictObject({
    user_id: uuid,
    secret: z.string().meta({ examples: ['JBSWY3DPEHPK3PXP'] }),
    otpauth_url: z.string().meta({ examples: ['otpauth://totp/Gatehouse:ada?secret=JBSWY3DPEHPK3PXP'] }),
  }),
)
