/** Sends commands to identifications: refused by what the database says if they can be, else by the workflow. */
import { v7 as newId } from 'uuid'
import type { AppliedCommand } from '../db/command.ts'
import type { Database } from '../db/database.ts'
import { findIdentification, vaultOfIdentification } from '../db/identification.ts'
import type { ClientRole } from '../domain/access.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { MoveKind } from '../domain/identification.ts'
import { type IdentificationCommand, transitionIdentification } from '../domain/identification-transition.ts'
import { type Caller, vaultHolding } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import type { Effect } from './idempotency.ts'
import { answerIdentification } from './identification-answer.ts'

/**
 * Gives the command of an earlier run of the same request when that was applied. `particulars` are kept in the command's row beside what its kind needs: reasons, notes, comments.
 */
export async function runIdentificationCommand(
  { db, gateway }: AppDeps,
  caller: Caller,
  effect: Effect,
  { id, vaultId }: IdentificationRef,
  command: IdentificationCommand,
  particulars: object = {},
): Promise<AppliedCommand | null> {
  const identification = await findIdentification(db, vaultId, id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  if (identification.erasedAt) throw new RequestRefused({ code: 'identification_erased' })
  const earlier = await gateway.earlier(effect)
  if (earlier) return earlier
  const trial = transitionIdentification(identification, command, { newId })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  const { kind, ...rest } = command
  const payload = { ...rest, ...particulars }
  const target = { entity: 'identification', id, vaultId } as const
  await gateway.run({ target, kind, payload, actor: caller.actor, id: effect.id })
  return null
}

export interface IdentificationRef {
  readonly id: string
  readonly vaultId: string
}

/** Operators belong to no vault: the identification says whose it is. */
export async function vaultOf(db: Database, identificationId: string): Promise<string> {
  const vaultId = await vaultOfIdentification(db, identificationId)
  if (!vaultId) throw new RequestRefused({ code: 'not_found' })
  return vaultId
}

/** The vault among the caller's that holds the identification. */
export const vaultOfClients = (db: Database, caller: Caller, role: ClientRole, id: string): Promise<string> =>
  vaultHolding(caller, role, () => vaultOfIdentification(db, id))

export interface Decision {
  readonly outcome: 'approved' | 'attention' | 'rejected' | 'initiated'
  readonly reason_code: string
  readonly client_comment?: string | undefined
  readonly internal_note?: string | undefined
}

const MOVE_OF: Record<Decision['outcome'], MoveKind> = {
  approved: 'approve',
  attention: 'call_attention',
  rejected: 'reject',
  initiated: 'request_information',
}

/** Decides about a verification, and answers what became of it. */
export async function decideVerification(
  deps: AppDeps,
  caller: Caller,
  effect: Effect,
  ref: IdentificationRef,
  decision: Decision,
) {
  const earlier = await runIdentificationCommand(
    deps,
    caller,
    effect,
    ref,
    { kind: MOVE_OF[decision.outcome] },
    {
      reasonCode: decision.reason_code,
      clientComment: decision.client_comment,
      internalNote: decision.internal_note,
    },
  )
  return answerIdentification(deps, ref.vaultId, ref.id, earlier)
}
