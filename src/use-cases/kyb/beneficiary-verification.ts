/** Use cases for beneficiaries' checks. A check creates an identification when its link is first opened. */

import { v7 as newId } from 'uuid'
import { closePageSessions } from '../../db/access/page-session.ts'
import {
  getBeneficiaryForUpdate,
  getCheckedBeneficiaryForUpdate,
  replaceBeneficiaryToken,
} from '../../db/cases/beneficiary.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { insertFact } from '../../db/commands/pending-fact.ts'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { insertAll } from '../../db/connection/with-inserts.ts'
import { addressesOf, insertPersonLinks } from '../../db/email/person-notice.ts'
import { applicantActor } from '../../domain/access/access.ts'
import { type Problem, type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import { beneficiaryChanged } from '../../domain/identification/identification.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import { decideKyb } from '../../domain/kyb/application.ts'
import { mismatchedIn } from '../../domain/kyb/beneficiary-check.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import type { BeneficiaryLink, KybApplication } from '../../domain/kyb/record.ts'
import { newToken } from '../../storage/random.ts'
import { trySendFacts } from '../../temporal/facts.ts'
import { type Caller, READ_AND_WRITE } from '../access/caller.ts'
import { canSendEmails } from '../access/vaults.ts'
import type { Deps } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'
import { findTargetForClient } from '../case/entity-ref.ts'
import { newIdentification } from '../creation/identification.ts'

/**
 * Creates the identification if it does not exist, starting with the data in the application. Returns false if the
 * person was removed from the application or the application is closed.
 */
export function beginVerification(db: Database, { id, vaultId }: Ref): Promise<boolean> {
  return transaction(db, async (tx) => {
    const found = await getCheckedBeneficiaryForUpdate(tx, vaultId, id)
    if (!found) return false
    if (await findIdentification(tx, vaultId, id)) return true
    if (!found.isOpen) return false
    const { inserts } = newIdentification(tx, {
      id,
      vaultId,
      ...(id !== found.person.external_id && { beneficiaryId: found.person.external_id }),
      // Uses a new ID, because the client may have used the person's ID for another identification.
      externalUuid: newId(),
      kind: 'person',
      origin: 'beneficiary',
      profile: profileOf(found.person),
      state: { verification: 'initiated', waitingOn: 'applicant', awaitsKyb: false },
      actor: applicantActor(id),
    })
    await insertAll(tx, inserts)
    return true
  })
}

/**
 * Returns the initial profile. The last word of the full name becomes the surname; the person can correct it.
 */
function profileOf({ full_name = '', email }: Beneficiary): Profile {
  const words = full_name.trim().split(/\s+/)
  const surname = words.length > 1 ? (words.pop() ?? '') : ''
  const name = words.join(' ')
  return { email, ...(name !== '' && { name }), ...(surname !== '' && { surname }) }
}

/**
 * Returns the reason why the person needs no link, or null. If the application is closed, only people with a started,
 * unfinished check need one.
 */
export function renewalRefusal(
  { state }: Pick<KybApplication, 'state'>,
  { isBegun, verification }: Pick<BeneficiaryLink, 'isBegun' | 'verification'>,
): Problem | null {
  const isInProgress = isBegun && (verification === 'initiated' || verification === 'attention')
  return isInProgress ? null : decideKyb(state, 'patch')
}

/**
 * Replaces a beneficiary's link on behalf of a client. Throws RequestRefused if the person does not need a link now.
 */
export async function renewLinkForClient(
  deps: Pick<Deps, 'config' | 'db' | 'notifier' | 'temporal' | 'log'>,
  caller: Caller,
  id: string,
  personId: string,
  effect: Commit<BeneficiaryLink>,
): Promise<BeneficiaryLink> {
  const target = await findTargetForClient(deps.db, caller, READ_AND_WRITE, 'kyb', id)
  const renewed = await effect.commit(async (tx) => {
    const application = await findKybApplication(tx, target.vaultId, id)
    const link = application?.links.get(personId)
    if (!application || !link) throw new RequestRefused({ code: 'not_found' })
    const refusal = renewalRefusal(application, link)
    if (refusal) throw new RequestRefused(refusal)
    return requireFound(await renewBeneficiaryLink({ ...deps, db: tx }, target, personId, caller.actor))
  })
  deps.notifier.notify([id])
  void trySendFacts(deps, id)
  return renewed
}

renewLinkForClient.refuses = ['kyb_processed', 'kyb_abandoned'] as const satisfies Refusals

/**
 * Replaces the link to a beneficiary's check, and sends the new one if the person has an address. If the check verified a
 * person with another name, that check ends and the new link starts another. Returns null if there is no such person.
 */
export function renewBeneficiaryLink(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  kyb: Ref,
  id: string,
  actor: string,
): Promise<BeneficiaryLink | null> {
  return transaction(db, async (tx) => {
    const isListed = await getBeneficiaryForUpdate(tx, kyb.id, id)
    const application = isListed ? await findKybApplication(tx, kyb.vaultId, kyb.id) : null
    const link = application?.links.get(id)
    if (!application || !link) return null
    const isMismatched = mismatchedIn(application.content, application.checks).has(id)
    const token = newToken()
    const checkId = isMismatched ? newId() : link.checkId
    const expiresAt = await replaceBeneficiaryToken(tx, id, token, checkId)
    await closePageSessions(tx, [link.checkId])
    if (isMismatched) {
      const check = { entity: 'identification', id: link.checkId, vaultId: kyb.vaultId } as const
      await insertFact(tx, kyb.id, check, beneficiaryChanged(link.checkId))
    }
    const target = { entity: 'kyb', id: kyb.id, vaultId: kyb.vaultId } as const
    await appendTimeline(tx, target, { action: 'link_reissued', actor, causeId: newId() })
    const addressee = addressesOf(application.content).filter((person) => person.id === id)
    if (canSendEmails(config)) await insertPersonLinks(tx, application, addressee)
    const begun = isMismatched ? ({ verification: 'initiated', isBegun: false } as const) : link
    return { ...link, ...begun, token, expiresAt, checkId }
  })
}
