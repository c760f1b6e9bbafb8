/** Use cases that show operators the pages that the applicant would see after a decision. */
import { v7 as newId } from 'uuid'
import { findAttachedFiles } from '../../db/cases/file.ts'
import { findDecidedIdentification } from '../../db/cases/identification.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { transitionOnFact } from '../../domain/identification/fact.ts'
import { endOfReview, moveKindOf, reviewFactId } from '../../domain/identification/identification.ts'
import { transitionIdentification } from '../../domain/identification/transition.ts'
import { DECISION_OF } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { transitionKyb } from '../../domain/kyb/transition.ts'
import type { Deps } from '../base/deps.ts'
import type { DecidedVerification } from '../identification/decision.ts'
import { getKyb } from '../kyb/application.ts'
import type { DecidedKyb } from '../kyb/decision.ts'
import { type CompanyForm, type CompanyResult, companyFormOf, getCompanyResult } from './company-form.ts'
import type { PersonForm } from './person-form.ts'
import { getRedirectUrl } from './redirect.ts'

interface Operator {
  readonly actor: string
}

/** Disables four-eyes approval, because a preview shows the final result. */
const ALONE = { fourEyes: [], highRiskCountries: [] }

export interface PreviewedKyb extends CompanyResult {
  readonly form: CompanyForm
}

/** Returns the form that the applicant would see after the decision. Throws RequestRefused with all problems. */
export async function previewKybDecision(
  deps: Pick<Deps, 'db'>,
  { actor }: Operator,
  target: EntityRef<'kyb'>,
  { outcome, ...decision }: DecidedKyb,
): Promise<PreviewedKyb> {
  const application = { ...(await getKyb(deps, target)), policy: ALONE }
  const command = { kind: DECISION_OF[outcome], ...decision }
  const now = new Date()
  const trial = transitionKyb(application, command, { now, newId, actor })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  const form = companyFormOf(trial.record)
  const { identification } = await getCompanyResult(deps, application)
  const { reasonCode, clientComment = null } = decision
  const review = { status: 'processed', outcome, reasonCode, clientComment }
  const fact = endOfReview(reviewFactId(target.id), review)
  if (!identification || !fact) return { form, identification, redirectUrl: null }
  const after = transitionOnFact({ ...identification, companyRisks: [] }, fact, now).record
  return { form, identification: after, redirectUrl: await getRedirectUrl(deps, after) }
}

export interface PreviewedVerification {
  readonly form: PersonForm
  /** The application if the applicant is a company, otherwise null. */
  readonly application: KybApplication | null
  readonly redirectUrl: string | null
}

/** Returns the form that the applicant would see after the decision. Throws RequestRefused with all problems. */
export async function previewVerificationDecision(
  deps: Pick<Deps, 'db'>,
  { actor }: Operator,
  target: EntityRef<'identification'>,
  { outcome, ...decision }: DecidedVerification,
): Promise<PreviewedVerification> {
  const { vaultId, id } = target
  const found = await findDecidedIdentification(deps.db, vaultId, id)
  if (!found) throw new RequestRefused({ code: 'not_found' })
  const command = { kind: moveKindOf(outcome), ...decision }
  const trial = transitionIdentification({ ...found, policy: ALONE }, command, {
    now: new Date(),
    newId,
    actor,
  })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  const { kind, kybId } = found
  const identification = trial.record
  return {
    form: { target, identification, files: await findAttachedFiles(deps.db, { identificationId: id }) },
    application: kind === 'company' && kybId ? await findKybApplication(deps.db, vaultId, kybId) : null,
    redirectUrl: await getRedirectUrl(deps, identification),
  }
}
