/** Replaces argon2 with the least work, because tests sign in often. `sign-in.test.ts` tests the real parameters. */
import { createRequire } from 'node:module'

type Argon2 = typeof import('@node-rs/argon2')

// An import would lead to this file.
const argon2: Argon2 = createRequire(import.meta.url)('@node-rs/argon2')

export const hash: Argon2['hash'] = (password, options) =>
  argon2.hash(password, { ...options, memoryCost: 8, timeCost: 1 })

export const { verify } = argon2
