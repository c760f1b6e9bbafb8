/** What operators read before they decide: an application or an identification with all that is kept of it. */

import { unixSeconds } from '../../contracts/common.ts'
import { presentPending } from '../../contracts/confirmation.ts'
import { presentFinding } from '../../contracts/decision.ts'
import { findVault } from '../../db/access/vault.ts'
import { kybOfBeneficiary } from '../../db/cases/beneficiary.ts'
import { readDecided } from '../../db/cases/decided-content.ts'
import { findDuplicates } from '../../db/cases/duplicate.ts'
import { attachedFiles } from '../../db/cases/file.ts'
import { listHolds } from '../../db/cases/hold.ts'
import { companyRisksOf, findIdentification, findStates } from '../../db/cases/identification.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { newestEntry } from '../../db/cases/timeline.ts'
import { listChecks, type VerificationCheck } from '../../db/cases/verification-check.ts'
import type { Entity, EntityRef, Ref } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { FileDetails } from '../../domain/file.ts'
import { isCaseOwner } from '../../domain/identification/holds.ts'
import { entered, PERSON_FILES } from '../../domain/identification/person-form.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { risksOfIdentification } from '../../domain/identification/transition.ts'
import { kybWaitingOn, OUTCOME_OF } from '../../domain/kyb/application.ts'
import { changesBetween } from '../../domain/kyb/changes.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { risksOfKyb } from '../../domain/kyb/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'
import type { Config } from '../../process/config.ts'
import { workflowIdOf } from '../../temporal/entities.ts'
import { presentAssignment } from './assignment-answer.ts'
import { presentCase, presentHold } from './case-answer.ts'
import { presentIdentification } from './identification-answer.ts'
import { presentKyb, withoutLinks } from './kyb-answer.ts'
import { presentScreening } from './screening-answer.ts'

type Deps = Pick<RouteDeps, 'db' | 'config'>

/** One that was taken back just now has none. */
const detailsOf = (file: FileDetails | undefined) => ({
  content_type: file?.contentType ?? '',
  size: file?.size ?? 0,
  sha256: file?.sha256 ?? '',
})

/** What both kinds of entity have that is decided about. */
async function decidedOn({ db, config }: Deps, target: EntityRef, entity: KybApplication | Identification) {
  const { vaultId, state, waitingSince } = entity
  const vault = await findVault(db, vaultId)
  return {
    vault: { id: vaultId, name: vault?.name ?? '' },
    version: state.version,
    waiting_since: unixSeconds(waitingSince),
    ...presentAssignment(entity),
    pending_confirmation: presentPending(entity),
    workflow: presentWorkflow(config, workflowIdOf(target)),
  }
}

/** With its place in Temporal's UI, where that is known. */
const presentWorkflow = ({ TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: Config, id: string) => ({
  id,
  url: ui === undefined ? null : `${ui}/namespaces/${namespace}/workflows/${id}`,
})

/** In whichever vault they are. */
async function presentDuplicates({ db }: Deps, entity: Entity, id: string) {
  const { duplicates, areMore } = await findDuplicates(db, { entity, id })
  return {
    duplicates: duplicates.map(({ vault_id, vault_name, ...each }) => ({
      ...each,
      vault: { id: vault_id, name: vault_name },
    })),
    more_duplicates: areMore,
  }
}

/** Since the last decision; nothing where there was none. */
async function changesSince({ db }: Deps, { id, vaultId, content, files }: KybApplication) {
  const decided = await readDecided(db, vaultId, id)
  if (!decided) return []
  return changesBetween(
    decided.content,
    content,
    (file) => files.get(file)?.name ?? decided.fileNames[file] ?? '',
  )
}

/** Throws RequestRefused when the vault has no such application. */
export async function answerKybReview(deps: Deps, { id, vaultId }: Ref) {
  const { db, config } = deps
  const application = await findKybApplication(db, vaultId, id)
  if (!application) throw new RequestRefused({ code: 'not_found' })
  const verifications = await findStates(db, [...application.links.keys()])
  const decision = await newestEntry(db, id, Object.keys(OUTCOME_OF))
  const holds = await listHolds(db, application.identificationId)
  const shown = withoutLinks(
    presentKyb(config.PUBLIC_URL, (fileId) => detailsOf(application.files.get(fileId)))(application),
  )
  const verificationOf = (personId: string) => {
    const verification = verifications.get(personId)
    if (!verification) return null
    const { waitingOn: waiting_on, waitingSince, ...rest } = verification
    return { ...rest, waiting_on, waiting_since: unixSeconds(waitingSince) }
  }
  const people = shown.beneficiaries.beneficiaries_list
  const data = {
    ...shown,
    ...(await decidedOn(deps, { entity: 'kyb', id, vaultId }, application)),
    waiting_on: kybWaitingOn(application.state),
    risks: risksOfKyb(application),
    beneficiaries: {
      ...shown.beneficiaries,
      beneficiaries_list: people.map((person) => ({
        ...person,
        check: verificationOf(person.external_id),
      })),
    },
    review: shown.review && {
      ...shown.review,
      findings: (application.review?.findings ?? []).map(presentFinding),
      internal_note: decision?.notes?.internal_note ?? null,
      decided_by: decision?.actor ?? 'system',
    },
    changes: await changesSince(deps, application),
    ...(await presentDuplicates(deps, 'kyb', id)),
    holds: holds.map(presentHold),
    screening: await presentScreening(deps, { entity: 'kyb', id }),
  }
  return { body: { data } }
}

/** Throws RequestRefused when the vault has no such identification. */
export async function answerIdentificationReview(deps: Deps, { id, vaultId }: Ref) {
  const { db } = deps
  const identification = await findIdentification(db, vaultId, id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  const { kind, origin, state, profile, accounts } = identification
  const stored = await attachedFiles(db, { identificationId: id })
  const holds = await listHolds(db, id)
  const shown = presentIdentification(identification)
  const kybId = await kybIdOf(deps, identification)
  const companyRisks = await companyRisksOf(db, identification)
  // A company is screened with its application.
  const screenedAs =
    kind === 'company' && kybId ? { entity: 'kyb', id: kybId } : { entity: 'identification', id }
  const data = {
    ...shown,
    ...(await decidedOn(deps, { entity: 'identification', id, vaultId }, identification)),
    kind,
    origin,
    verification: state.verification,
    waiting_on: state.waitingOn,
    risks: risksOfIdentification({ ...identification, companyRisks }),
    ...presentProfile(profile),
    files: PERSON_FILES.flatMap((attribute) => {
      const file = stored.get(profile[attribute] ?? '')
      if (!file) return []
      const { id, name, warnings } = file
      return [{ attribute, id, name, ...detailsOf(file), warnings }]
    }),
    review: shown.review && {
      ...shown.review,
      findings: (identification.review?.findings ?? []).map(presentFinding),
      corrections: (identification.review?.corrections ?? []).map(presentFinding),
    },
    accounts,
    checks: (await listChecks(db, id)).map(presentCheck),
    holds: holds.map(presentHold),
    ...(await presentDuplicates(deps, 'identification', id)),
    cases: holds.filter(({ owner }) => isCaseOwner(owner)).map(presentCase),
    kyb_id: kybId,
    screening: await presentScreening(deps, screenedAs as Pick<EntityRef, 'entity' | 'id'>),
  }
  return { body: { data } }
}

const presentCheck = ({
  id,
  provider,
  createdAt,
  acceptedAt,
  answeredAt,
  result,
  failure,
}: VerificationCheck) => ({
  id,
  provider,
  asked_at: unixSeconds(createdAt),
  accepted_at: acceptedAt && unixSeconds(acceptedAt),
  answered_at: answeredAt && unixSeconds(answeredAt),
  outcome: result?.outcome ?? null,
  reason_code: result?.reasonCode ?? null,
  fields: result?.fields ?? [],
  failure,
})

function presentProfile(profile: Profile) {
  const { consent, consented_at: at } = profile
  return {
    profile: entered(profile),
    consent: consent === undefined ? null : { version: consent, at: at ? unixSeconds(new Date(at)) : null },
  }
}

const kybIdOf = async ({ db }: Deps, { id, origin, kybId }: Identification): Promise<string | null> =>
  origin === 'beneficiary' ? ((await kybOfBeneficiary(db, id))?.id ?? null) : kybId
