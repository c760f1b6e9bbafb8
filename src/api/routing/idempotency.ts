/** Reads the `Idempotency-Key` header, and identifies requests with the same content. */
import type { Request, Response } from 'express'
import { type Problem, RequestRefused } from '../../domain/base/errors.ts'
import { errorBody } from '../../http/errors.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import type { Deps, WithDb } from '../../use-cases/base/deps.ts'
import { type RequestEffect, runOnce, unkeyedEffect } from '../../use-cases/base/idempotency.ts'
import type { RouteResponse } from './response.ts'

/** Runs `work`, or returns the stored response of an earlier request with the same key and content. */
export type RunOnce = <A extends RouteResponse>(
  content: unknown,
  work: (effect: RequestEffect) => Promise<A>,
) => Promise<A>

const KEY = /^[\x21-\x7e]{1,255}$/

/** Creates a function that runs every request and stores no responses. */
export const createUnkeyedRun =
  (deps: WithDb): RunOnce =>
  (_content, work) =>
    work(unkeyedEffect(deps))

/** Creates the function that runs a request once for its key. Throws RequestRefused if the key is malformed. */
export function createRunOnce(
  deps: Pick<Deps, 'db' | 'log'>,
  route: { readonly method: string; readonly path: string },
  caller: Caller,
  req: Request,
  res: Response,
): RunOnce {
  const key = req.get('Idempotency-Key')
  if (key === undefined) return createUnkeyedRun(deps)
  if (!KEY.test(key)) throw new RequestRefused(MALFORMED_KEY)
  const ids = JSON.stringify(req.params).toLowerCase()
  const scope = [caller.actor, route.method, req.baseUrl, route.path, ids, key]
  // Includes a user's roles in individual vaults, because they can change between two requests. An API key's vault
  // cannot change.
  const reach =
    caller.userId === null
      ? []
      : [
          ...caller.vaults.map(({ id, roles }) => `${id} ${[...roles].sort()}`).sort(),
          ...caller.grants.flatMap(({ role, vaultId }) => (vaultId === null ? [] : [`${vaultId} ${role}`])),
        ]
  return async (content, work) => {
    const request = { scope, content: [content ?? {}, ...reach] }
    const { answer, isReplayed } = await runOnce(deps, request, work, errorBody)
    if (isReplayed) res.setHeader('Idempotent-Replayed', 'true')
    return answer
  }
}

const MALFORMED_KEY: Problem = {
  code: 'malformed_request',
  field: 'Idempotency-Key',
  message: 'Send 1 to 255 visible ASCII characters in the Idempotency-Key header.',
}
