/** Hashes and verifies passwords with argon2id and the parameters that OWASP recommends. */
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

const OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes at most two passwords at a time, because files and images use the same threads. */
const limit = pLimit(2)

export const hashPassword = (password: string): Promise<string> => limit(() => hash(password, OPTIONS))

/** The hash to verify for unknown users, so that the response takes just as long. Computed at startup. */
const nobody = hashPassword('nobody has this password')

export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? (await nobody)
  const matches = await limit(() => verify(known, password))
  return matches && passwordHash !== null
}
