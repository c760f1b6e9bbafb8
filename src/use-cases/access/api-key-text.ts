/**
 * API keys: a prefix that says what they are, 40 random characters, and a checksum of six, so that whoever
 * finds one knows what it is, and a text that only looks like one costs no query (docs/access.md).
 */
import { crc32 } from 'node:zlib'
import type { Config } from '../../process/config.ts'
import { drawMixed } from '../../storage/random.ts'

const RANDOM_CHARACTERS = 40
const CHECKSUM_CHARACTERS = 6

/** Without the last part for keys that were made before keys had a checksum. */
const FORM = /^(gk_(?:test|live)_[A-Za-z0-9]{40})([A-Za-z0-9]{6})?$/

export const apiKeyPrefix = (environment: Config['ENVIRONMENT']): string =>
  environment === 'production' ? 'gk_live_' : 'gk_test_'

export function newApiKey(environment: Config['ENVIRONMENT']): string {
  const text = apiKeyPrefix(environment) + drawMixed(RANDOM_CHARACTERS)
  return text + checksumOf(text)
}

/** Whether a text can be a key at all. */
export function isApiKey(text: string): boolean {
  const [, key, checksum] = FORM.exec(text) ?? []
  return key !== undefined && (checksum === undefined || checksum === checksumOf(key))
}

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 in base 62, most significant digit first, filled up with zeros, as in tokens of GitHub. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let n = 0; n < CHECKSUM_CHARACTERS; n++) {
    digits = BASE_62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
