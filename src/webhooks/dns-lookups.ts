/** Names are looked up a few at a time for each vault, so that one with many dead names holds up no other's. */
import { isIP } from 'node:net'
import { withoutBrackets } from '../contracts/public-address.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import type { Names } from './resolver.ts'

const MAX_OF_VAULT = 10

/** Resolves once the name is known, found or not; connecting then asks nobody. */
export type LookUp = (vaultId: string, url: string) => Promise<void>

export function createLookUps(names: Names): LookUp {
  const lanes = createKeyedLimit(MAX_OF_VAULT)
  return async (vaultId, url) => {
    const { hostname } = new URL(url)
    const isKnown = () => isIP(withoutBrackets(hostname)) > 0 || names.knows(hostname)
    if (isKnown()) return
    await lanes(
      vaultId,
      () =>
        new Promise<void>((settle) => {
          if (isKnown()) settle()
          else names(hostname, { all: true }, () => settle())
        }),
    )
  }
}
