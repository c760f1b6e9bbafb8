/** Passwords of users: argon2id, with the parameters of OWASP's recommendation. */
import { type Algorithm, hash, verify } from '@node-rs/argon2'

const OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS)

/** Verified when there is no such user, so that both answers take the same work; made before it is needed. */
const nobody = hashPassword('nobody has this password')

export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password)
  return matches && passwordHash !== null
}
