/** Random texts: for links, passwords and codes that people read. */
import { randomBytes, randomInt } from 'node:crypto'

/** For links: 256 bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Without characters that look alike. */
const READABLE = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const MIXED = `${READABLE}abcdefghijkmnpqrstuvwxyz`

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Letters and digits, for what has a form of its own. */
export const drawMixed = (length: number): string => draw(MIXED, length)

/** 8 characters: the referral code of an account. */
export const newReferral = (): string => draw(READABLE, 8)

/** 20 characters: a generated password. */
export const newPassword = (): string => draw(MIXED, 20)

/** The secret that signs a vault's webhooks. */
export const newWebhookSecret = (): string => `whsec_${draw(MIXED, 48)}`
