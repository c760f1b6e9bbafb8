/**
 * Wrong tries to sign in. One address has few for an account; an account has many more, but for a minute, so
 * that nobody can guess from many addresses at once. An address from which the account was signed in to
 * before is not held back by what others try: nobody can lock somebody out from elsewhere.
 */
import { isFlagSet, setFlag } from '../../db/access/counter.ts'
import type { Database } from '../../db/connection/database.ts'
import { type Counter, createCounter } from './counter.ts'

const LIMITS = {
  sign_in_pair: { points: 10, seconds: 300 },
  sign_in_address: { points: 100, seconds: 600 },
  sign_in_account: { points: 50, seconds: 60 },
  /** Of one-time codes, counted after the right password: there are only a million of them. */
  sign_in_code: { points: 10, seconds: 900 },
} as const
const KNOWN_SECONDS = 90 * 86_400

interface Attempt {
  /** Counts a try at a one-time code. */
  tryCode(): Promise<void>
  /** Nothing was wrong so far: this try does not count. */
  forgive(): Promise<void>
  /** Nor does one that succeeds, and the address is known from now on. */
  succeed(): Promise<void>
}

export interface Attempts {
  /**
   * Counts a try before it is decided, so that tries at the same time cannot outrun the limit. What it
   * does is the same whether there is such an account or not. `account` and `address` are hashes. Throws
   * LimitReached after too many wrong tries.
   */
  begin(account: string, address: string): Promise<Attempt>
}

export function createAttempts(db: Database): Attempts {
  const counterOf = (name: keyof typeof LIMITS) => createCounter(db, { name, ...LIMITS[name] })
  const pairs = counterOf('sign_in_pair')
  const addresses = counterOf('sign_in_address')
  const accounts = counterOf('sign_in_account')
  const codes = counterOf('sign_in_code')
  const known = (pair: string) => `sign_in_known:${pair}`

  return {
    async begin(account, address) {
      const pair = `${account}:${address}`
      const scope = (await isFlagSet(db, known(pair))) ? pair : account
      // In this order: what one address has used up at one account, it takes from nobody else.
      const counted = [
        [pairs, pair],
        [addresses, address],
        [accounts, scope],
      ] as const
      for (const [counter, key] of counted) await counter.consume(key)
      const forgivable: (readonly [Counter, string])[] = [...counted]
      const forgive = async () => {
        for (const [counter, key] of forgivable) await counter.refund(key)
      }
      return {
        async tryCode() {
          await codes.consume(scope)
          forgivable.push([codes, scope])
        },
        forgive,
        async succeed() {
          await forgive()
          await setFlag(db, known(pair), KNOWN_SECONDS)
        },
      }
    },
  }
}
