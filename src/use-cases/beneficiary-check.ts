/** A beneficiary's own verification: an identification with the beneficiary's id, from when the link is first opened. */
import { v7 as newId } from 'uuid'
import { lockBeneficiary, replaceBeneficiaryToken } from '../db/beneficiary.ts'
import { type Database, transaction } from '../db/database.ts'
import { findIdentification } from '../db/identification.ts'
import { closePageSessions } from '../db/page-session.ts'
import { appendTimeline } from '../db/timeline.ts'
import { insertWebhookLogs } from '../db/webhook-outbox.ts'
import type { Ref } from '../domain/entity.ts'
import type { Beneficiary } from '../domain/kyb-fields.ts'
import type { Profile } from '../domain/profile.ts'
import { newToken } from '../storage/random.ts'
import { writeIdentification } from './identification-creation.ts'

/**
 * Creates it unless it is there; what the application says of the person need not be typed again. Null when the
 * person was removed from the application, else what to tell of the creation.
 */
export function beginCheck(db: Database, { id, vaultId }: Ref): Promise<{ webhookLogIds: string[] } | null> {
  return transaction(db, async (tx) => {
    const person = await lockBeneficiary(tx, vaultId, id)
    if (!person) return null
    if (await findIdentification(tx, vaultId, id)) return { webhookLogIds: [] }
    const { events } = await writeIdentification(tx, {
      id,
      vaultId,
      externalUuid: id,
      kind: 'person',
      origin: 'beneficiary',
      profile: profileOf(person),
      state: { verification: 'initiated', waitingOn: 'applicant', awaitsKyb: false },
      actor: `applicant:${id}`,
    })
    return { webhookLogIds: await insertWebhookLogs(tx, vaultId, events) }
  })
}

/** The last word of a full name is taken for the surname; the person sees and can change it. */
function profileOf({ full_name = '', email }: Beneficiary): Profile {
  const words = full_name.trim().split(/\s+/)
  const surname = words.length > 1 ? (words.pop() ?? '') : ''
  const name = words.join(' ')
  return { email, ...(name !== '' && { name }), ...(surname !== '' && { surname }) }
}

/** A new link to a beneficiary's verification: the old one is good no more. Null when there is no such person. */
export function renewBeneficiaryLink(
  db: Database,
  kyb: Ref,
  id: string,
  actor: string,
): Promise<{ token: string; expiresAt: Date } | null> {
  return transaction(db, async (tx) => {
    if (!(await lockBeneficiary(tx, kyb.vaultId, id, kyb.id))) return null
    const token = newToken()
    const expiresAt = await replaceBeneficiaryToken(tx, id, token)
    await closePageSessions(tx, [id])
    await appendTimeline(tx, {
      vaultId: kyb.vaultId,
      entity: 'kyb',
      entityId: kyb.id,
      action: 'link_reissued',
      actor,
      causeId: newId(),
    })
    return { token, expiresAt }
  })
}
