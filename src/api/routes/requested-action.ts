/** Answers requests for administrative actions that may await a second administrator. */
import type { By } from '../../domain/access/audit.ts'
import type { RouteDeps } from '../../http/deps.ts'
import {
  type ActionOf,
  type Outcomes,
  type Requested,
  requestAction,
} from '../../use-cases/access/admin-action.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import type { RequestEffect, StoredResponse } from '../../use-cases/base/idempotency.ts'
import { presentProposal } from '../presenters/admin-action.ts'

/** Requests the action. Presents its result, or responds with 202 and the proposed action. */
export const answerAction = <K extends keyof Outcomes, A extends StoredResponse>(
  { deps, caller, by, effect }: { deps: RouteDeps; caller: Caller; by: By; effect: RequestEffect },
  action: ActionOf<K>,
  present: (done: Outcomes[K]) => A,
) =>
  effect.answering(
    (requested: Requested<Outcomes[K]>) =>
      requested.proposal
        ? {
            status: 202 as const,
            body: { data: presentProposal(requested.proposal, requested.passwordHalf) },
          }
        : present(requested.done),
    (commit) => requestAction(deps, caller, by, action, commit),
  )
