/** Replaces argon2 with the least work, because tests sign in often. `sign-in.test.ts` tests the real parameters. */
import { createRequire, registerHooks } from 'node:module'

type Argon2 = typeof import('@node-rs/argon2')

const argon2: Argon2 = createRequire(import.meta.url)('@node-rs/argon2')

export const hash: Argon2['hash'] = (password, options) =>
  argon2.hash(password, { ...options, memoryCost: 8, timeCost: 1 })

export const { verify } = argon2

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@node-rs/argon2' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
})
