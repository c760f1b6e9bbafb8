/** Passwords of users: argon2id, with the parameters of OWASP's recommendation. */
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

const OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Of the threads that files and pictures need, too: a flood of sign-ins waits for itself alone. */
const limit = pLimit(2)

export const hashPassword = (password: string): Promise<string> => limit(() => hash(password, OPTIONS))

/** Verified when there is no such user, so that both answers take the same work; made before it is needed. */
const nobody = hashPassword('nobody has this password')

export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? (await nobody)
  const matches = await limit(() => verify(known, password))
  return matches && passwordHash !== null
}
