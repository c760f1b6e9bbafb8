/**
 * Limits failed sign-in attempts per address, per IPv6 site, per address and account, and per account. The limit per account prevents
 * guessing from many addresses, and lasts for only one minute. Addresses from which the user has signed in before have
 * a separate count, so that others cannot lock a user out.
 */
import { isFlagSet, setFlag } from '../../db/access/counter.ts'
import type { Database } from '../../db/connection/database.ts'
import { type Counter, createCounter } from './counter.ts'
import { ATTEMPTS } from './table.ts'

const KNOWN_SECONDS = 90 * 86_400

interface Attempt {
  tryCode(): Promise<void>
  /** Undoes the count of an attempt that has not failed, for example because the code is still missing. */
  forgive(): Promise<void>
  /** Undoes the count of a successful attempt, and remembers the address. */
  succeed(): Promise<void>
}

export interface Attempts {
  /**
   * Counts an attempt before its result is known, so that simultaneous attempts cannot exceed the limit.
   * Behaves in the same way for unknown accounts. All keys are hashes. Throws LimitReached after too many failed
   * attempts. `site` is null for IPv4.
   */
  begin(account: string, from: { readonly address: string; readonly site: string | null }): Promise<Attempt>
}

export function createAttempts(db: Database): Attempts {
  const pairs = createCounter(db, 'sign_in_pair', ATTEMPTS.sign_in_pair)
  const addresses = createCounter(db, 'sign_in_address', ATTEMPTS.sign_in_address)
  const sites = createCounter(db, 'sign_in_site', ATTEMPTS.sign_in_site)
  const accounts = createCounter(db, 'sign_in_account', ATTEMPTS.sign_in_account)
  const codes = createCounter(db, 'sign_in_code', ATTEMPTS.sign_in_code)
  const known = (pair: string) => `sign_in_known:${pair}`

  return {
    async begin(account, { address, site }) {
      const pair = `${account}:${address}`
      const isKnown = await isFlagSet(db, known(pair))
      const scope = isKnown ? pair : account
      // Counts by address first, so that attempts beyond the limit of one address do not use up the account's
      // limit.
      const counted = [
        [pairs, pair],
        [addresses, address],
        ...(site === null || isKnown ? [] : [[sites, site] as const]),
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
