/** Creates random texts for links, passwords and codes. */
import { randomBytes, randomInt } from 'node:crypto'

/** Returns 256 random bits for a link. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** The characters of codes that people read, without those that look alike. */
const READABLE = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const MIXED = `${READABLE}abcdefghijkmnpqrstuvwxyz`

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Returns random letters and digits, for texts that have their own format. */
export const drawMixed = (length: number): string => draw(MIXED, length)

export const newReferral = (): string => draw(READABLE, 8)

export const newPassword = (): string => draw(MIXED, 20)

export const newWebhookSecret = (): string => `whsec_${draw(MIXED, 48)}`
