/** An identification as clients see it (specification, "Identification"). */

import { unixSeconds } from '../../contracts/common.ts'
import { presentPending } from '../../contracts/confirmation.ts'
import { type AppliedCommand, findAppliedCommand } from '../../db/cases/command.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import type { Database } from '../../db/connection/database.ts'
import type { Ref } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { reviewOf } from '../../domain/identification/change.ts'
import { identificationStatus, MOVES } from '../../domain/identification/identification.ts'
import type { Identification, ListedIdentification } from '../../domain/identification/record.ts'
import { blocksOf, type IdentificationDecision } from '../../domain/identification/record.ts'
import type { IdentificationCommand } from '../../domain/identification/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'

export const presentIdentification = (identification: ListedIdentification) => {
  const { review, state, accounts } = identification
  const [account] = accounts
  return {
    id: identification.id,
    status: identificationStatus(state),
    name: identification.name,
    surname: identification.surname,
    external_uuid: identification.externalUuid,
    account_id: account?.id ?? null,
    account_referral: account?.referral ?? null,
    kyb_id: identification.kybId,
    blocks: accounts.flatMap(({ id }) => blocksOf(state).map((block) => ({ account_id: id, ...block }))),
    review: review && {
      outcome: review.outcome,
      reason_code: review.reasonCode,
      client_comment: review.clientComment,
      fields: review.corrections.map(({ path }) => path),
      decided_at: review.decidedAt,
    },
    created_at: unixSeconds(identification.createdAt),
    ...(identification.erasedAt && { erased_at: unixSeconds(identification.erasedAt) }),
  }
}

/**
 * The identification as it is now; after a command as that left it, whatever came after it. Throws RequestRefused
 * when the vault has none of this id.
 */
export async function answerIdentification(
  { db }: Pick<RouteDeps, 'db'>,
  ref: Ref,
  command?: { readonly id: string },
) {
  return { body: { data: presentIdentification(await found(db, ref, command)) } }
}

/** The same with the decision that still waits for a second operator, where one does. */
export async function answerIdentificationDecided(
  { db }: Pick<RouteDeps, 'db'>,
  ref: Ref,
  command: { readonly id: string },
) {
  const identification = await found(db, ref, command)
  const data = presentIdentification(identification)
  return { body: { data, pending_confirmation: presentPending(identification) } }
}

async function found(
  db: Database,
  { vaultId, id }: Ref,
  command?: { readonly id: string },
): Promise<Identification> {
  const [identification, applied] = await Promise.all([
    findIdentification(db, vaultId, id),
    command ? findAppliedCommand(db, { entity: 'identification', id, vaultId }, command.id) : null,
  ])
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  return applied ? leftBy(identification, applied) : identification
}

/** What a command says itself stands, and otherwise what there is now. */
function leftBy(
  now: Identification,
  { command, state, appliedAt }: AppliedCommand<'identification'>,
): Identification {
  if (state.version === now.state.version) return now
  const left = { ...now, state }
  if (command.kind === 'edit_profile') {
    const { name = now.name, surname = now.surname } = command.changes
    return { ...left, name, surname }
  }
  if (!isDecision(command)) return left
  if (state.pending) return { ...left, proposal: command }
  const { kind, fields = [], ...decision } = command
  return { ...left, review: reviewOf(MOVES[kind].to, decision, fields, appliedAt) }
}

const isDecision = (command: IdentificationCommand): command is IdentificationDecision =>
  Object.hasOwn(MOVES, command.kind)
