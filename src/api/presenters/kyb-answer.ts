/** A KYB application as clients see it (specification, "KYB application"). */

import { unixSeconds } from '../../contracts/common.ts'
import { presentPending } from '../../contracts/confirmation.ts'
import { presentFinding } from '../../contracts/decision.ts'
import { type AppliedCommand, findAppliedCommand } from '../../db/cases/command.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import type { Database } from '../../db/connection/database.ts'
import type { Ref } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { OUTCOME_OF } from '../../domain/kyb/application.ts'
import type { Field, Fields } from '../../domain/kyb/field.ts'
import { BENEFICIARY_FIELDS } from '../../domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, type Section } from '../../domain/kyb/fields.ts'
import type { BeneficiaryLink, KybApplication } from '../../domain/kyb/record.ts'
import { dueMessage, reasonsFor } from '../../domain/kyb/requirements.ts'
import { circumstancesOf, type KybDecision } from '../../domain/kyb/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'

/** The link to a person's own verification, and how far that is. */
export const beneficiaryLink = (publicUrl: string, link: BeneficiaryLink | undefined) => {
  if (!link) throw new Error('a beneficiary has no link')
  const { token, expiresAt, verification } = link
  return {
    link: `${publicUrl}/verify/${token}`,
    link_expires_at: unixSeconds(expiresAt),
    verification,
  }
}

/**
 * Every field is there: what was not filled in is null, an empty list where it is a list. `ofFile` tells more of
 * a file than its name.
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
    const section = (name: Section) => values(KYB_FIELDS[name], content[name])

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
      beneficiaries: {
        ...section('beneficiaries'),
        beneficiaries_list: content.beneficiaries.beneficiaries_list.map((person) => ({
          ...values(BENEFICIARY_FIELDS, person),
          ...beneficiaryLink(publicUrl, application.links.get(person.external_id)),
          external_id: person.external_id,
        })),
      },
      requirements: {
        currently_due: application.currentlyDue,
        reasons: reasonsFor(application.currentlyDue, content, circumstancesOf(application, new Date())).map(
          (due) => ({ path: due.path, code: due.reason, message: dueMessage(due) }),
        ),
        errors: application.corrections.map(presentFinding),
      },
      review: review && {
        outcome: review.outcome,
        reason_code: review.reasonCode,
        client_comment: review.clientComment,
        decided_at: unixSeconds(review.decidedAt),
      },
      created_at: unixSeconds(application.createdAt),
    }
  }

/** As operators see it: whoever has a person's link can act as the person. */
export function withoutLinks({ beneficiaries, ...shown }: ReturnType<ReturnType<typeof presentKyb>>) {
  const people = beneficiaries.beneficiaries_list.map(({ link: _, link_expires_at: __, ...person }) => person)
  return { ...shown, beneficiaries: { ...beneficiaries, beneficiaries_list: people } }
}

/**
 * The application as it is now; after a command as that left it, whatever came after it. Throws RequestRefused when
 * the vault has none of this id.
 */
export async function answerKyb(
  { db, config }: Pick<RouteDeps, 'db' | 'config'>,
  ref: Ref,
  command?: { readonly id: string },
) {
  return { body: { data: presentKyb(config.PUBLIC_URL)(await found(db, ref, command)) } }
}

/** The same as operators see it, with the decision that still waits for a second one, where one does. */
export async function answerKybDecided(
  { db, config }: Pick<RouteDeps, 'db' | 'config'>,
  ref: Ref,
  command: { readonly id: string },
) {
  const application = await found(db, ref, command)
  const data = withoutLinks(presentKyb(config.PUBLIC_URL)(application))
  return { body: { data, pending_confirmation: presentPending(application) } }
}

async function found(
  db: Database,
  { vaultId, id }: Ref,
  command?: { readonly id: string },
): Promise<KybApplication> {
  const [application, applied] = await Promise.all([
    findKybApplication(db, vaultId, id),
    command ? findAppliedCommand(db, { entity: 'kyb', id, vaultId }, command.id) : null,
  ])
  if (!application) throw new RequestRefused({ code: 'not_found' })
  return applied ? leftBy(application, applied) : application
}

/** What a decision says itself stands, and otherwise what there is now. */
function leftBy(now: KybApplication, { command, state, appliedAt }: AppliedCommand<'kyb'>): KybApplication {
  if (state.version === now.state.version) return now
  const left = { ...now, state }
  const outcome = OUTCOME_OF[command.kind]
  if (!outcome) return left
  const decision = command as KybDecision
  if (state.pending) return { ...left, proposal: decision }
  const { reasonCode, clientComment = null, findings = [] } = decision
  return { ...left, review: { outcome, reasonCode, clientComment, findings, decidedAt: appliedAt } }
}
