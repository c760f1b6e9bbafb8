/** Use cases that show operators the pages that the applicant would see after a decision. */
import { v7 as newId } from 'uuid'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { findAttachedFiles } from '../../db/files/file.ts'
import type { By } from '../../domain/access/audit.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Entity, EntityRef } from '../../domain/entity/entity.ts'
import { commandFor, type Decided, type Records, RULES } from '../../domain/entity/rules.ts'
import { transitionOnFact } from '../../domain/identification/fact.ts'
import { endOfReview, reviewFactId } from '../../domain/identification/identification.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { Deps } from '../base/deps.ts'
import { getRecord } from '../case/command.ts'
import { recordCaseRead } from '../case/reading-record.ts'
import { type CompanyForm, type CompanyResult, companyFormOf, getCompanyResult } from './company-form.ts'
import type { PersonForm } from './person-form.ts'
import { getRedirectUrl } from './redirect.ts'

type PreviewDeps = Pick<Deps, 'db' | 'spend'>

export interface PreviewedKyb extends CompanyResult {
  readonly form: CompanyForm
}

export interface PreviewedVerification {
  readonly form: PersonForm
  /** The application if the applicant is a company, otherwise null. */
  readonly application: KybApplication | null
  readonly redirectUrl: string | null
}

/** Disables four-eyes approval, because a preview shows the final result. */
const ALONE = { fourEyes: [], highRiskCountries: [] }

/**
 * Returns the record as the decision would leave it. Records a read of the case, because the record contains the data of
 * the applicant. Throws RequestRefused with all problems.
 */
async function decided<E extends Entity>(
  deps: PreviewDeps,
  by: By,
  target: EntityRef<E>,
  decision: Decided<E>,
): Promise<Records[E]> {
  await recordCaseRead(deps, by, target)
  const record = { ...(await getRecord(deps, target)), policy: ALONE }
  const command = commandFor(target.entity, decision)
  const trial = RULES[target.entity].transition(record, command, {
    now: new Date(),
    newId,
    actor: by.actor,
  })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  return trial.record
}

/** Returns the form that the company would see after the decision. Throws RequestRefused with all problems. */
export async function previewKybDecision(
  deps: PreviewDeps,
  by: By,
  target: EntityRef<'kyb'>,
  decision: Decided<'kyb'>,
): Promise<PreviewedKyb> {
  const application = await decided(deps, by, target, decision)
  const form = companyFormOf(application)
  const { identification } = await getCompanyResult(deps, application)
  const { outcome, reasonCode, clientComment = null } = decision
  const review = { status: 'processed', outcome, reasonCode, clientComment }
  const fact = endOfReview(reviewFactId(target.id), review)
  if (!identification || !fact) return { form, identification, redirectUrl: null }
  const after = transitionOnFact({ ...identification, companyRisks: [] }, fact, new Date()).record
  return { form, identification: after, redirectUrl: await getRedirectUrl(deps, after) }
}

/** Returns the form that the person would see after the decision. Throws RequestRefused with all problems. */
export async function previewVerificationDecision(
  deps: PreviewDeps,
  by: By,
  target: EntityRef<'identification'>,
  decision: Decided<'identification'>,
): Promise<PreviewedVerification> {
  const { vaultId, id } = target
  const identification = await decided(deps, by, target, decision)
  const { kind, kybId } = identification
  return {
    form: {
      target,
      identification,
      files: await findAttachedFiles(deps.db, { identificationId: id }),
      atLink: null,
    },
    application: kind === 'company' && kybId ? await findKybApplication(deps.db, vaultId, kybId) : null,
    redirectUrl: await getRedirectUrl(deps, identification),
  }
}
