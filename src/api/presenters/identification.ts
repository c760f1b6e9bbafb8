/** Presents an identification to clients (specification, "Identification"). */
import { presentDecided } from '../../contracts/confirmation.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import { presentReviewProgress } from '../../contracts/review-progress.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import type { Field } from '../../domain/fields/field.ts'
import {
  identificationReviewProgress,
  identificationStatus,
} from '../../domain/identification/identification.ts'
import { ADDED, addedOf, decodeValue, filesIn, isAddedFile } from '../../domain/identification/person-form.ts'
import {
  blocksOf,
  type Identification,
  type ListedIdentification,
} from '../../domain/identification/record.ts'
import type { Verified } from '../../domain/identification/verified.ts'
import { shownSurname } from '../../domain/names/full-name.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import type { ShownIdentification } from '../../use-cases/identification/identification.ts'
import { presentChanged } from './changed.ts'

function presentVerified({ profile, by, check, at, photos }: Verified) {
  const of = (name: string) => profile[name] ?? null
  return {
    by,
    check: check && { id: check.id, provider: check.provider },
    at: unixSeconds(at),
    name: of('name'),
    surname: profile.surname === undefined ? null : shownSurname(profile.surname),
    birthdate: of('birthdate'),
    nationality: of('nationality'),
    address: {
      address: of('address'),
      city: of('city'),
      postal_code: of('postal_code'),
      country: of('address_country'),
    },
    document: {
      type: of('document_type'),
      number: of('document_number'),
      country: of('document_country'),
      expires_on: of('document_expires_on'),
      photos: [...photos],
    },
  }
}

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
    ...presentReviewProgress(
      identificationReviewProgress(
        state,
        review !== null,
        identification.kybProgress,
        identification.undeliveredAt,
      ),
      state.version,
      identification.updatedAt,
    ),
    created_at: unixSeconds(identification.createdAt),
    ...(identification.erasedAt && { erased_at: unixSeconds(identification.erasedAt) }),
  }
}

/** Presents the values of the fields that the profile adds. Empty fields are null. */
function presentAdditional({ form, profile }: Pick<Identification, 'form' | 'profile'>) {
  if (!form) return {}
  const fields = Object.entries(addedOf(form))
  const files = filesIn(form).filter(isAddedFile)
  const presentValue = (name: string, field: Field) => {
    const value = decodeValue(field, profile[ADDED + name])
    return value ?? (field.type === 'some_of' ? [] : null)
  }
  const additional = Object.fromEntries([
    ...fields.map(([name, field]) => [name, presentValue(name, field)]),
    ...files.map((name) => [name.slice(ADDED.length), [profile[name] ?? []].flat().map((id) => ({ id }))]),
  ])
  return fields.length + files.length === 0 ? {} : { additional }
}

const present = ({ identification, verified }: ShownIdentification) => ({
  ...presentIdentification(identification),
  ...presentAdditional(identification),
  verified: verified && presentVerified(verified),
})

export const presentIdentificationResponse = (shown: ShownIdentification) => ({
  body: { data: present(shown) },
})

export const presentChangedResponse = (caller: Caller, shown: ShownIdentification) => ({
  body: {
    data: presentChanged(caller, shown.identification.vaultId, present(shown), ENVELOPES.identification),
  },
})

/** Presents an identification with its pending confirmation, if there is one. */
export const presentDecidedIdentificationResponse = (identification: Identification) =>
  presentDecided(presentIdentification(identification), identification)
