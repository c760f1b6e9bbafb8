/** Creates the secrets and first credentials at the first start, and keeps them in the data folder. */
import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readIfExists, writeJson } from '../files.ts'
import type { Settings } from '../settings.ts'
import { newSeedCredentials, type SeedCredentials } from './seed.ts'

export type Secrets = {
  environment: Settings['ENVIRONMENT']
  ENCRYPTION_KEYS: string
  HASH_KEY: string
  credentials: SeedCredentials
}

export const newKeys = (): Pick<Secrets, 'ENCRYPTION_KEYS' | 'HASH_KEY'> => ({
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  HASH_KEY: randomBytes(32).toString('base64'),
})

/** Derives the provider's secret from the stored keys, so that it stays the same. */
export const providerSecret = ({ HASH_KEY }: Pick<Secrets, 'HASH_KEY'>): string =>
  createHmac('sha256', HASH_KEY).update('verification provider').digest('hex')

export function loadSecrets({ DATA_DIR, ENVIRONMENT }: Settings): Secrets {
  const file = join(DATA_DIR, 'secrets.json')
  const text = readIfExists(file)
  if (text === undefined) {
    const secrets = {
      environment: ENVIRONMENT,
      ...newKeys(),
      credentials: newSeedCredentials(ENVIRONMENT),
    }
    writeJson(file, secrets)
    return secrets
  }
  const secrets = parse(file, text)
  if (secrets.environment !== ENVIRONMENT) {
    throw new Error(
      `${DATA_DIR} contains a ${secrets.environment} instance, but ENVIRONMENT is ${ENVIRONMENT}. ` +
        'Set DATA_DIR to another folder. Each deployment has one environment.',
    )
  }
  return secrets
}

/** Parses the secrets. Never replaces a damaged file, because the values that the old keys encrypted would be lost. */
function parse(file: string, text: string): Secrets {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${file} is damaged. Restore it, or delete the data folder to start without data.`, {
      cause,
    })
  }
}
