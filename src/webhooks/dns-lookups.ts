/**
 * Limits concurrent DNS lookups per vault, so that a vault with many names that cannot be resolved does not delay
 * others.
 */
import { isIP } from 'node:net'
import { withoutBrackets } from '../contracts/public-address.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import type { Names } from './resolver.ts'

const MAX_OF_VAULT = 10

/** Resolves when the addresses of the URL's host are cached, so that the connection needs no lookup. */
export type LookUp = (vaultId: string, url: string) => Promise<void>

export function createLookUps(names: Names): LookUp {
  const limited = createKeyedLimit(MAX_OF_VAULT)
  return async (vaultId, url) => {
    const { hostname } = new URL(url)
    const isKnown = () => isIP(withoutBrackets(hostname)) > 0 || names.knows(hostname)
    if (isKnown()) return
    await limited(
      vaultId,
      () =>
        new Promise<void>((settle) => {
          if (isKnown()) settle()
          else names(hostname, { all: true }, () => settle())
        }),
    )
  }
}
