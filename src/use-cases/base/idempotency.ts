/**
 * Runs a request only once, so that repetitions with the same key have one effect and one response. The row of a key
 * contains a hash of the request and the lease of the current run. The run stores the response in the row, if possible
 * in the transaction of its effect. Later requests receive the stored response.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as newId } from 'uuid'
import {
  claimRequest,
  forgetRequest,
  type Run,
  releaseRequest,
  renewLease,
  storeResponse,
} from '../../db/access/idempotency-key.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { canonicalJson } from '../../domain/base/canonical-json.ts'
import { type Problem, RequestRefused, statusOf } from '../../domain/base/errors.ts'
import type { Deps, WithDb } from './deps.ts'
import type { Commit, Effect } from './effect.ts'

const WAIT_MS = 2_000
const PAUSE_MS = 50

/** Responses with these statuses are not stored, because they depend on the caller and the time. */
const NOT_STORED = new Set([401, 403, 408, 409, 429])

const isStored = (status: number) => status < 500 && !NOT_STORED.has(status)

const IN_PROGRESS: Problem = { code: 'idempotency_key_in_progress' }

export interface StoredResponse {
  /** The HTTP status, 200 by default. */
  readonly status?: number
  readonly body: object
}

export interface RequestEffect extends Effect {
  /** Whether the request has a key, so that its response is stored. */
  readonly isKeyed: boolean
  /** Runs a use case. The transaction that commits its effect also stores the response that `present` creates. */
  answering<T, A extends StoredResponse>(
    present: (result: T) => A,
    run: (effect: Commit<T>) => Promise<T>,
  ): Promise<A>
  /**
   * Extends the lease. Call this in each transaction of a request that takes long. Throws RequestRefused if another run
   * has taken over.
   */
  renewLease(tx: Database): Promise<void>
}

/** Returns the effect of a request without a key, for which nothing is stored. */
export const unkeyedEffect = ({ db }: WithDb): RequestEffect => {
  let id: string | undefined
  const kind = { isRerun: false, isKeyed: false } as const
  const effect: RequestEffect = {
    ...kind,
    // Reads need no ID.
    get id() {
      id ??= newId()
      return id
    },
    answering: async (present, run) =>
      present(await run({ ...kind, id: effect.id, commit: (work) => work(db) })),
    renewLease: async () => {},
  }
  return effect
}

interface KeyedRequest {
  /** Identifies the key by the caller, route, parameters and key text. */
  readonly scope: readonly unknown[]
  /** The content of the request, which must be the same each time the key is used. */
  readonly content: readonly unknown[]
}

/**
 * Runs `work`, or returns the stored response. Throws RequestRefused if the key was used with other content, or if
 * another run has the lease.
 */
export async function runOnce<A extends StoredResponse>(
  deps: Pick<Deps, 'db' | 'log'>,
  { scope, content }: KeyedRequest,
  work: (effect: RequestEffect) => Promise<A>,
  presentRefusal: (problems: readonly Problem[]) => object,
): Promise<{ readonly answer: A; readonly isReplayed: boolean }> {
  const { db } = deps
  const hash = (value: unknown) => db.encryption.hash(canonicalJson(value), 'idempotency_key')
  const request = { scope: hash(scope).toString('hex'), requestHash: hash(content) }
  for (const until = performance.now() + WAIT_MS; ; await sleep(PAUSE_MS)) {
    const claim = await claimRequest(db, { ...request, effectId: newId() })
    if (claim.outcome === 'claimed')
      return { answer: await runClaimed(deps, claim, work, presentRefusal), isReplayed: false }
    if (claim.outcome === 'reused') throw new RequestRefused({ code: 'idempotency_key_reused' })
    if (claim.outcome === 'answered') return { answer: claim.answer as A, isReplayed: true }
    if (performance.now() >= until) throw new RequestRefused(IN_PROGRESS)
  }
}

async function runClaimed<A extends StoredResponse>(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  claimed: Run,
  work: (effect: RequestEffect) => Promise<A>,
  presentRefusal: (problems: readonly Problem[]) => object,
): Promise<A> {
  let isKept = false
  const effect = { id: claimed.effectId, isRerun: claimed.run > 1 }
  const answering: RequestEffect['answering'] = async (present, run) => {
    const result = await run({
      ...effect,
      isKeyed: true,
      commit: async (inner) => {
        const committed = await transaction(db, async (tx) => {
          const done = await inner(tx)
          if (!(await storeResponse(tx, claimed, present(done)))) throw new RequestRefused(IN_PROGRESS)
          return done
        })
        isKept = true
        return committed
      },
    })
    return present(result)
  }
  const request: RequestEffect = {
    ...effect,
    isKeyed: true,
    answering,
    async renewLease(tx) {
      if (!(await renewLease(tx, claimed))) throw new RequestRefused(IN_PROGRESS)
    },
  }
  try {
    const answer = await work(request)
    if (!isKept && isStored(answer.status ?? 200)) await storeResponse(db, claimed, answer)
    else if (!isKept) await releaseRequest(db, claimed)
    return answer
  } catch (error) {
    const refusal = error instanceof RequestRefused ? error.problems : null
    const status = refusal ? statusOf(refusal) : 500
    const settle = () => {
      if (refusal && isStored(status))
        return storeResponse(db, claimed, { status, body: presentRefusal(refusal) })
      // A refused request has no effect, but an earlier run without a response may have had one.
      return status < 500 && claimed.run === 1 ? forgetRequest(db, claimed) : releaseRequest(db, claimed)
    }
    // If this fails, the key can be used again when the lease expires.
    await settle().catch((err) => log.warn({ err }, 'result of an idempotent request was not stored'))
    throw error
  }
}
