/**
 * Creates and checks the text of API keys. A key has a prefix, 40 random characters and a checksum of six characters.
 * The prefix makes leaked keys recognisable, and the checksum avoids queries for invalid keys (docs/access.md).
 */
import { crc32 } from 'node:zlib'
import type { Config } from '../../process/config.ts'
import { drawMixed } from '../../storage/random.ts'

const RANDOM_CHARACTERS = 40
const CHECKSUM_CHARACTERS = 6

/** The checksum is optional, because keys without one remain valid. */
const FORM = /^(gk_(?:test|live)_[A-Za-z0-9]{40})([A-Za-z0-9]{6})?$/

export const apiKeyPrefix = (environment: Config['ENVIRONMENT']): string =>
  environment === 'production' ? 'gk_live_' : 'gk_test_'

export function newApiKey(environment: Config['ENVIRONMENT']): string {
  const text = apiKeyPrefix(environment) + drawMixed(RANDOM_CHARACTERS)
  return text + checksumOf(text)
}

export function isApiKey(text: string): boolean {
  const [, key, checksum] = FORM.exec(text) ?? []
  return key !== undefined && (checksum === undefined || checksum === checksumOf(key))
}

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns the CRC-32 in base 62, most significant digit first, padded with zeros, as in GitHub tokens. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let n = 0; n < CHECKSUM_CHARACTERS; n++) {
    digits = BASE_62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
