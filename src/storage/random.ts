/** Random texts: for links, passwords and codes that people read. */
import { randomBytes, randomInt } from 'node:crypto'

/** For links: 256 bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Without characters that look alike. */
const READABLE = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const MIXED = `${READABLE}abcdefghijkmnpqrstuvwxyz`

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** 8 characters: the referral code of an account. */
export const newReferral = (): string => draw(READABLE, 8)

/** 20 characters: a generated password. */
export const newPassword = (): string => draw(MIXED, 20)

type Environment = 'sandbox' | 'production'

/** Says what it is and for which environment, so that one that leaked is recognised. */
export const apiKeyPrefix = (environment: Environment): string =>
  environment === 'production' ? 'gk_live_' : 'gk_test_'

export const newApiKey = (environment: Environment): string =>
  `${apiKeyPrefix(environment)}${draw(MIXED, 40)}`

/** The secret that signs a vault's webhooks. */
export const newWebhookSecret = (): string => `whsec_${draw(MIXED, 48)}`
