/** Presents a KYB application to clients (specification, "KYB application"). */

import { presentDecided } from '../../contracts/confirmation.ts'
import { presentFinding } from '../../contracts/decision.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import { presentReviewProgress } from '../../contracts/review-progress.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import type { Field, Fields } from '../../domain/fields/field.ts'
import { kybReviewProgress, kybWaitingOn } from '../../domain/kyb/application.ts'
import { BENEFICIARY_FIELDS } from '../../domain/kyb/fields/beneficiaries.ts'
import { type Additional, KYB_FIELDS, type Section } from '../../domain/kyb/fields.ts'
import { addedFields, type Form } from '../../domain/kyb/form.ts'
import {
  type BeneficiaryLink,
  circumstancesOf,
  futureOf,
  type KybApplication,
} from '../../domain/kyb/record.ts'
import { type Due, dueMessage, findDue, reasonsFor } from '../../domain/kyb/requirements.ts'
import { type Caller, visibilityFor } from '../../use-cases/access/caller.ts'
import { presentChanged } from './changed.ts'

/** Returns a beneficiary's link and the state of the verification. Throws if the beneficiary has no link. */
export const beneficiaryLink = (publicUrl: string, link: BeneficiaryLink | undefined) => {
  if (!link) throw new Error('a beneficiary has no link')
  const { token, expiresAt, verification } = link
  return {
    link: `${publicUrl}/verify/${token}`,
    link_expires_at: unixSeconds(expiresAt),
    verification,
  }
}

export const presentRequirements = (application: Omit<KybApplication, 'policy'>) => ({
  currently_due: application.currentlyDue,
  reasons: presentReasons(
    application.form,
    reasonsFor(application.currentlyDue, application.content, circumstancesOf(application, new Date())),
  ),
  errors: application.corrections.map(presentFinding),
  ...presentFuture(application),
})

const presentReasons = (form: Form, due: readonly Due[]) =>
  due.map((each) => ({ path: each.path, code: each.reason, message: dueMessage(form, each) }))

/** Returns the requirements under the version to which the application moves on a date, if there is one. */
function presentFuture(application: Omit<KybApplication, 'policy'>) {
  const later = futureOf(application)
  if (!later) return {}
  const { form, appliesFrom } = later
  const due = findDue(application.content, circumstancesOf({ ...application, form }, new Date()))
  return {
    future: {
      profile_version: form.version,
      applies_from: unixSeconds(appliesFrom),
      currently_due: due.map(({ path }) => path),
      reasons: presentReasons(form, due),
    },
  }
}

/**
 * Presents an application with all its fields. An empty field is null, or an empty list. `ofFile` presents a file's
 * details.
 */
export const presentKyb =
  (publicUrl: string, ofFile: (id: string) => object = () => ({})) =>
  (application: Omit<KybApplication, 'policy'>) => {
    const { id, state, content, review, files } = application
    const fileReference = (fileId: string) => ({
      name: files.get(fileId)?.name ?? '',
      id: fileId,
      ...ofFile(fileId),
    })

    const value = ({ type }: Field, given: unknown) => {
      if (type === 'files') return ((given ?? []) as string[]).map(fileReference)
      return given ?? (type === 'some_of' ? [] : null)
    }
    const values = (fields: Fields, given: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, value(field, given[name])]))
    const { form } = application
    const section = (name: Section) => values(KYB_FIELDS[name], content[name])
    /** Presents the fields that the profile adds, if there are any. */
    const added = (fields: Fields, given: Additional = {}) =>
      Object.keys(fields).length > 0 && { additional: values(fields, given) }

    return {
      id,
      external_id: application.externalId,
      identification_id: application.identificationId,
      client_kyc: application.clientKyc,
      internal: application.internal,
      status: {
        completed: state.completed,
        processed: state.status === 'processed',
        ...(state.status === 'abandoned' && { abandoned: true as const }),
      },
      nature_of_business: section('nature_of_business'),
      usage_of_account: section('usage_of_account'),
      business_files: section('business_files'),
      ...added(form.company.additional, content.additional),
      beneficiaries: {
        ...section('beneficiaries'),
        beneficiaries_list: content.beneficiaries.beneficiaries_list.map((person) => ({
          ...values(BENEFICIARY_FIELDS, person),
          ...added(addedFields(form), person.additional),
          ...beneficiaryLink(publicUrl, application.links.get(person.external_id)),
          external_id: person.external_id,
        })),
      },
      requirements: presentRequirements(application),
      review: review && {
        outcome: review.outcome,
        reason_code: review.reasonCode,
        client_comment: review.clientComment,
        decided_at: unixSeconds(review.decidedAt),
        replies: application.replies.map(presentFinding),
      },
      ...presentReviewProgress(
        kybReviewProgress(state.status, kybWaitingOn(state), review?.outcome ?? null),
        state.version,
        application.updatedAt,
      ),
      created_at: unixSeconds(application.createdAt),
    }
  }

/**
 * Removes the links, because the holder of a person's link can act as the person. Operators and read-only clients get
 * no links.
 */
export function withoutLinks({ beneficiaries, ...shown }: ReturnType<ReturnType<typeof presentKyb>>) {
  const people = beneficiaries.beneficiaries_list.map(({ link: _, link_expires_at: __, ...person }) => person)
  return { ...shown, beneficiaries: { ...beneficiaries, beneficiaries_list: people } }
}

/** Presents an application to a client. Includes the links only if the caller has `api_write`. */
export const presentKybTo =
  (publicUrl: string, caller: Caller) => (application: Omit<KybApplication, 'policy'>) => {
    const shown = presentKyb(publicUrl)(application)
    return visibilityFor(caller, application.vaultId).links ? shown : withoutLinks(shown)
  }

export const presentChangedKyb =
  (publicUrl: string, caller: Caller) => (application: Omit<KybApplication, 'policy'>) =>
    presentChanged(caller, application.vaultId, presentKybTo(publicUrl, caller)(application), ENVELOPES.kyb)

export const presentKybResponse = (publicUrl: string, caller: Caller, application: KybApplication) => ({
  body: { data: presentKybTo(publicUrl, caller)(application) },
})

/** Presents an application to operators, with its pending confirmation if there is one. */
export const presentDecidedKybResponse = (publicUrl: string, application: KybApplication) =>
  presentDecided(withoutLinks(presentKyb(publicUrl)(application)), application)
