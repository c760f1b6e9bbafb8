/** Presents an application or identification with all its details to operators. */
import { presentPending } from '../../contracts/confirmation.ts'
import { presentFinding } from '../../contracts/decision.ts'
import { presenterOf } from '../../contracts/record.ts'
import { personCheck, removedValue } from '../../contracts/review.ts'
import { verificationCheck } from '../../contracts/verification-check.ts'
import type { FileDetails } from '../../domain/base/file.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import { isInternalOwner } from '../../domain/identification/holds.ts'
import { entered } from '../../domain/identification/person-form.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { VerificationCheck } from '../../domain/identification/verification-check.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type {
  IdentificationUnderReview,
  KybUnderReview,
  PersonChecks,
  UnderReview,
} from '../../domain/review/review.ts'
import { presentAssignment } from './assignment.ts'
import { presentHold, presentInternalHold } from './hold.ts'
import { presentIdentification } from './identification.ts'
import { presentKyb, withoutLinks } from './kyb-application.ts'
import { presentScreening } from './screening.ts'

const presentPersonCheck = presenterOf(personCheck)
const presentRemoved = presenterOf(removedValue)
const presentVerificationCheck = presenterOf(verificationCheck)

export function presentKybReviewResponse(publicUrl: string, review: KybUnderReview) {
  const { application, checks, decided, changes } = review
  const shown = withoutLinks(
    presentKyb(publicUrl, (fileId) => {
      const file = application.files.get(fileId)
      return { side: file?.side ?? null, ...presentDetails(file) }
    })(application),
  )
  const data = {
    ...shown,
    ...presentAbout(review, application),
    beneficiaries: {
      ...shown.beneficiaries,
      beneficiaries_list: shown.beneficiaries.beneficiaries_list.map((person) => ({
        ...person,
        ...presentPersonChecks(checks.get(person.external_id)),
      })),
    },
    review: shown.review && {
      ...shown.review,
      findings: (application.review?.findings ?? []).map(presentFinding),
      internal_note: decided?.internalNote ?? null,
      decided_by: decided?.actor ?? 'system',
    },
    changes,
  }
  return { body: { data } }
}

export function presentIdentificationReviewResponse(review: IdentificationUnderReview) {
  const { identification, photos, holds, checks, kybId, givenName } = review
  const { kind, origin, state, accounts } = identification
  const shown = presentIdentification(identification)
  const data = {
    ...shown,
    ...presentAbout(review, identification),
    kind,
    origin,
    verification: state.verification,
    ...presentProfile(identification),
    files: photos.map(({ attribute, id, name, ...file }) => ({
      attribute,
      id,
      name,
      ...presentDetails(file),
    })),
    review: shown.review && {
      ...shown.review,
      findings: (identification.review?.findings ?? []).map(presentFinding),
      corrections: (identification.review?.corrections ?? []).map(presentFinding),
      replies: (identification.review?.replies ?? []).map(presentFinding),
    },
    accounts,
    checks: checks.map(presentCheck),
    cases: holds.filter(({ owner }) => isInternalOwner(owner)).map(presentInternalHold),
    kyb_id: kybId,
    name_in_application: givenName && { full_name: givenName.fullName, is_same: givenName.isSame },
  }
  return { body: { data } }
}

/** Presents the fields that applications and identifications share. */
const presentAbout = (review: UnderReview, entity: KybApplication | Identification) => ({
  vault: review.vault,
  version: entity.state.version,
  waiting_on: review.waitingOn,
  waiting_since: unixSeconds(entity.waitingSince),
  ...presentAssignment(entity),
  risks: review.risks,
  pending_confirmation: presentPending(entity),
  workflow: review.workflow,
  holds: review.holds.map(presentHold),
  screening: presentScreening(review.screening),
  removed: review.removed.map(presentRemoved),
  duplicates: review.duplicates.duplicates,
  more_duplicates: review.duplicates.areMore,
})

/** Presents the details of a file. They are empty if the file was detached in the meantime. */
const presentDetails = (file: Omit<FileDetails, 'name'> | undefined) => ({
  content_type: file?.contentType ?? '',
  size: file?.size ?? 0,
  sha256: file?.sha256 ?? '',
  warnings: file?.warnings ?? [],
})

const presentPersonChecks = (checks: PersonChecks | undefined) => ({
  check: checks?.current ? presentPersonCheck(checks.current) : null,
  earlier_checks: (checks?.earlier ?? []).map(presentPersonCheck),
})

const presentCheck = (check: VerificationCheck) =>
  presentVerificationCheck({
    ...check,
    askedAt: check.createdAt,
    outcome: check.result?.outcome ?? null,
    reasonCode: check.result?.reasonCode ?? null,
    fields: check.result?.fields ?? [],
  })

function presentProfile({ profile, form }: Pick<Identification, 'profile' | 'form'>) {
  const { consent: version, consented_at: at, consent_language: language = null } = profile
  return {
    profile: entered(profile, form),
    consent: version === undefined ? null : { version, at: at ? unixSeconds(new Date(at)) : null, language },
  }
}
