/** Limits requests per minute for each API key or user, or for each address if the caller is unknown. */
import { operatorIdOf } from '../../domain/access/access.ts'
import type { Deps } from '../base/deps.ts'
import { addressKey } from '../credentials/address.ts'
import { createBudget } from '../limits/budget.ts'
import type { Caller } from './caller.ts'

interface CountedRequest {
  /** Null if the caller is not known yet. */
  readonly caller: Caller | null
  readonly isRead: boolean
  readonly ip: string
}

/** Counts a request. Returns the state of its limit, or null for an operator, who has no limit. */
export type CountRequest = (request: CountedRequest) => Promise<RequestCount | null>

interface RequestCount {
  /** The name of the limit: `reads`, `writes` or `anonymous`. */
  readonly name: string
  readonly limit: number
  readonly isAllowed: boolean
  readonly remaining: number
  readonly resetMs: number
  refund(): void
}

export function createRequestLimit({ db, config, log }: Pick<Deps, 'db' | 'config' | 'log'>): CountRequest {
  const reads = createBudget(db, log, 'reads', config.RATE_LIMIT_READS)
  const writes = createBudget(db, log, 'writes', config.RATE_LIMIT_WRITES)
  const anonymous = createBudget(db, log, 'anonymous', config.RATE_LIMIT_ANONYMOUS)
  return async ({ caller, isRead, ip }) => {
    // Operators have no limit, because they are few and known, and their systems publish events in bulk.
    if (caller && operatorIdOf(caller.actor) !== null) return null
    const isKnown = caller !== null && caller.actor !== 'nobody'
    const budget = isKnown ? (isRead ? reads : writes) : anonymous
    const key = isKnown ? caller.actor : addressKey(db.encryption, ip)
    const { allowed, ...count } = await budget.spend(key)
    return { name: budget.name, limit: budget.limit, isAllowed: allowed, ...count }
  }
}
