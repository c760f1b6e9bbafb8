/** `Idempotency-Key`: a request that is sent again has one effect and one answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { v7 as newId } from 'uuid'
import {
  claimRequest,
  forgetRequest,
  keepAnswer,
  type Run,
  releaseRequest,
  renewLease,
} from '../db/access/idempotency-key.ts'
import { type Database, transaction } from '../db/connection/database.ts'
import { type Problem, RequestRefused, statusOf } from '../domain/errors.ts'
import type { Caller } from '../http/caller.ts'
import { errorBody } from '../http/errors.ts'
import type { Logger } from '../process/log.ts'
import type { Answer } from './answer.ts'

/** What a request brings about, the same however often it is run. */
export interface Effect {
  /** For what is created, or for the command. */
  readonly id: string
  /** The request has a key: its answer is kept. */
  readonly keyed: boolean
  /** An earlier run ended without an answer: what it brought about may be there already. */
  readonly again: boolean
  /** Runs `work` in one transaction that keeps its answer too, so that there is never one without the other. */
  commit<A extends Answer>(work: (tx: Database) => Promise<Committed<A>>): Promise<A>
  /** In each of the transactions of work that may take long. Throws RequestRefused where another run has taken over. */
  goOn(tx: Database): Promise<void>
}

interface Committed<A> {
  readonly answer: A
  /** What follows once it is durable, best effort. */
  readonly afterwards?: () => void
}

/** Runs `work` unless a request with the same key and content was answered before. */
export type Once = <A extends Answer>(content: unknown, work: (effect: Effect) => Promise<A>) => Promise<A>

const KEY = /^[\x21-\x7e]{1,255}$/
const WAIT_MS = 2_000
const PAUSE_MS = 50

/** These depend on who asks and when, not on what is asked: the same request may be answered otherwise next. */
const NOT_KEPT = new Set([401, 403, 408, 409, 429])

const isKept = (status: number) => status < 500 && !NOT_KEPT.has(status)

/** For requests without a key: nothing is kept and nothing looked up. */
export const always =
  (db: Database): Once =>
  (_content, work) =>
    work({
      id: newId(),
      keyed: false,
      again: false,
      commit: async (inner) => finish(await inner(db)),
      goOn: async () => {},
    })

function finish<A>({ answer, afterwards }: Committed<A>): A {
  afterwards?.()
  return answer
}

/** Throws RequestRefused when the key is none. */
export function onceFor(
  { db, log }: { db: Database; log: Logger },
  route: { readonly method: string; readonly path: string },
  caller: Caller,
  req: Request,
  res: Response,
): Once {
  const key = req.get('Idempotency-Key')
  if (key === undefined) return always(db)
  if (!KEY.test(key)) throw new RequestRefused(NO_KEY)
  const hash = (...parts: unknown[]) => db.encryption.hash(canonical(parts), 'idempotency_key')
  const ids = JSON.stringify(req.params).toLowerCase()
  const scope = hash(caller.actor, route.method, req.baseUrl.toLowerCase(), route.path, ids, key).toString(
    'hex',
  )

  // What a user can reach may change meanwhile: an answer is of the vaults that were theirs. A key's vault stays.
  const reach =
    caller.userId === null ? [] : caller.vaults.map(({ id, roles }) => `${id} ${[...roles].sort()}`).sort()

  async function run<A extends Answer>(claimed: Run, work: (effect: Effect) => Promise<A>): Promise<A> {
    let kept = false
    const effect: Effect = {
      id: claimed.effectId,
      keyed: true,
      again: claimed.run > 1,
      commit: async (inner) => {
        const committed = await transaction(db, async (tx) => {
          const done = await inner(tx)
          if (!(await keepAnswer(tx, claimed, done.answer))) throw new RequestRefused(UNDER_WAY)
          return done
        })
        kept = true
        return finish(committed)
      },
      goOn: async (tx) => {
        if (!(await renewLease(tx, claimed))) throw new RequestRefused(UNDER_WAY)
      },
    }
    try {
      const answer = await work(effect)
      if (!kept && isKept(answer.status ?? 200)) await keepAnswer(db, claimed, answer)
      else if (!kept) await releaseRequest(db, claimed)
      return answer
    } catch (error) {
      const refusal = error instanceof RequestRefused ? error.problems : null
      const status = refusal ? statusOf(refusal) : 500
      const settle = () => {
        if (refusal && isKept(status)) return keepAnswer(db, claimed, { status, body: errorBody(refusal) })
        // What was refused did nothing; an earlier run that ended without an answer may have done it.
        return status < 500 && claimed.run === 1 ? forgetRequest(db, claimed) : releaseRequest(db, claimed)
      }
      // What cannot be written now settles itself when the lease ends.
      await settle().catch((err) => log.warn({ err }, 'the outcome of an idempotent request was not kept'))
      throw error
    }
  }

  return async <A extends Answer>(content: unknown, work: (effect: Effect) => Promise<A>) => {
    const requestHash = hash(content ?? {}, ...reach)
    for (const until = performance.now() + WAIT_MS; ; await sleep(PAUSE_MS)) {
      const claim = await claimRequest(db, { scope, requestHash, effectId: newId() })
      if (claim.outcome === 'claimed') return run(claim, work)
      if (claim.outcome === 'reused') throw new RequestRefused({ code: 'idempotency_key_reused' })
      if (claim.outcome === 'answered') {
        res.setHeader('Idempotent-Replayed', 'true')
        return claim.answer as A
      }
      if (performance.now() >= until) throw new RequestRefused(UNDER_WAY)
    }
  }
}

const NO_KEY: Problem = {
  code: 'malformed_request',
  field: 'Idempotency-Key',
  message: 'Write 1 to 255 visible ASCII characters into the Idempotency-Key header.',
}
const UNDER_WAY: Problem = { code: 'idempotency_key_in_progress' }

/** One text for one value, in whatever order its fields came. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
