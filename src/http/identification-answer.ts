/** An identification as clients see it (specification, "Identification"). */
import { unixSeconds } from '../contracts/common.ts'
import { presentPending } from '../contracts/confirmation.ts'
import type { AppliedCommand } from '../db/command.ts'
import type { Database } from '../db/database.ts'
import { findIdentification, type Identification } from '../db/identification.ts'
import type { Ref } from '../domain/entity.ts'
import { RequestRefused } from '../domain/errors.ts'
import { identificationStatus } from '../domain/identification.ts'
import type { AppDeps } from './deps.ts'

export const presentIdentification = (identification: Identification) => {
  const { review, state } = identification
  const [account] = identification.accounts
  return {
    id: identification.id,
    status: identificationStatus(state),
    name: identification.name,
    surname: identification.surname,
    external_uuid: identification.externalUuid,
    account_id: account?.id ?? null,
    account_referral: account?.referral ?? null,
    review: review && {
      outcome: review.outcome,
      reason_code: review.reasonCode,
      client_comment: review.clientComment,
      fields: (review.corrections ?? []).map(({ path }) => path),
      decided_at: review.decidedAt,
    },
    created_at: unixSeconds(identification.createdAt),
    ...(identification.erasedAt && { erased_at: unixSeconds(identification.erasedAt) }),
  }
}

/**
 * The identification as it is now; after a command that an earlier run of the request sent, with the status
 * that it led to. Throws RequestRefused when the vault has none of this id.
 */
export async function answerIdentification(
  { db }: Pick<AppDeps, 'db'>,
  { id, vaultId }: Ref,
  earlier?: AppliedCommand<'identification'> | null,
) {
  return { body: { data: dataOf(await found(db, vaultId, id), earlier) } }
}

/** The same with the decision that still waits for a second operator, where one does. */
export async function answerIdentificationDecided(
  { db }: Pick<AppDeps, 'db'>,
  { id, vaultId }: Ref,
  earlier: AppliedCommand<'identification'> | null,
) {
  const identification = await found(db, vaultId, id)
  const data = dataOf(identification, earlier)
  return { body: { data, pending_confirmation: presentPending(identification) } }
}

async function found(db: Database, vaultId: string, id: string): Promise<Identification> {
  const identification = await findIdentification(db, vaultId, id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  return identification
}

function dataOf(identification: Identification, earlier?: AppliedCommand<'identification'> | null) {
  const data = presentIdentification(identification)
  const status = earlier?.result.status as typeof data.status | undefined
  return status === undefined ? data : { ...data, status }
}
