/** Use cases for reading an application or identification with the data that a decision needs. */
import { findVault } from '../../db/access/vault.ts'
import { findKybOfCheck } from '../../db/cases/beneficiary.ts'
import { readDecided } from '../../db/cases/decided-content.ts'
import { listHolds } from '../../db/cases/hold.ts'
import { findCompanyRisks, findPersonChecks } from '../../db/cases/identification.ts'
import { listChecks } from '../../db/cases/verification-check.ts'
import { findNewestEntry } from '../../db/commands/timeline.ts'
import { findDuplicates } from '../../db/lists/duplicate.ts'
import { SCREENING_OFF } from '../../db/screening/screening.ts'
import { findScreening } from '../../db/screening/screening-hit.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import { riskLevel } from '../../domain/decision/risk.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { risksOfIdentification } from '../../domain/identification/transition.ts'
import { kybWaitingOn, OUTCOME_OF } from '../../domain/kyb/application.ts'
import { type GivenName, givenNameOf } from '../../domain/kyb/beneficiary-check.ts'
import { type Change, changesBetween } from '../../domain/kyb/changes.ts'
import { circumstancesOf, type KybApplication, risksOfKyb } from '../../domain/kyb/record.ts'
import { reasonsFor } from '../../domain/kyb/requirements.ts'
import type { IdentificationUnderReview, KybUnderReview, UnderReview } from '../../domain/review/review.ts'
import { markRulesOfIdentification, markRulesOfKyb } from '../../domain/review/review-mark.ts'
import { REVIEW_TARGET_HOURS } from '../../domain/review/review-target.ts'
import { openHitsIn, type ScreeningResult } from '../../domain/screening/hit.ts'
import { workflowIdOf } from '../../temporal/entities.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { getRecord } from '../case/command.ts'
import { recordCaseRead, recordNamesRead } from '../case/reading-record.ts'
import { showKeptOfCompany, showKeptOfPerson } from './kept.ts'

type ReviewDeps = Pick<Deps, 'db' | 'config' | 'spend'>

export async function getKybReview(
  deps: ReviewDeps,
  operator: Granted,
  by: By,
  target: EntityRef<'kyb'>,
): Promise<KybUnderReview> {
  const { db } = deps
  await recordCaseRead(deps, by, target)
  const current = await getRecord(deps, target)
  const { id, content, currentlyDue, identificationId } = current
  const { application, removed } = await showKeptOfCompany(deps, current)
  const risks = risksOfKyb(current)
  const screening = await readScreening(deps, target)
  const changes = await readChangesSinceDecision(deps, current)
  return {
    ...(await readAbout(deps, operator, by, target, identificationId)),
    application,
    removed,
    waitingOn: kybWaitingOn(application.state),
    risks,
    riskLevel: riskLevel(risks, openHitsIn(screening).length),
    due: reasonsFor(currentlyDue, content, circumstancesOf(current, new Date())),
    checks: await findPersonChecks(db, application),
    decided: await findNewestEntry(db, id, Object.keys(OUTCOME_OF)),
    changes,
    screening,
    marked: markRulesOfKyb(current, changes),
  }
}

export async function getIdentificationReview(
  deps: ReviewDeps,
  operator: Granted,
  by: By,
  target: EntityRef<'identification'>,
): Promise<IdentificationUnderReview> {
  const { db } = deps
  await recordCaseRead(deps, by, target)
  const current = await getRecord(deps, target)
  const { id, kind, state } = current
  const kybId = await kybIdOf(deps, current)
  const companyRisks = await findCompanyRisks(db, current)
  // A company is screened with its application, not with its identification.
  const screenedAs = kind === 'company' && kybId ? ({ entity: 'kyb', id: kybId } as const) : target
  const screening = await readScreening(deps, screenedAs)
  const risks = risksOfIdentification({ ...current, companyRisks })
  return {
    ...(await readAbout(deps, operator, by, target, id)),
    ...(await showKeptOfPerson(deps, current)),
    kybId,
    givenName: await findGivenName(deps, current, kybId),
    waitingOn: state.waitingOn,
    risks,
    riskLevel: riskLevel(risks, openHitsIn(screening).length),
    checks: await listChecks(db, id),
    screening,
    marked: markRulesOfIdentification(current),
  }
}

/** Reads the data that reviews of applications and of identifications both need. */
async function readAbout(
  { db, config }: ReviewDeps,
  operator: Granted,
  by: By,
  target: EntityRef,
  identificationId: string,
): Promise<Pick<UnderReview, 'vault' | 'targetHours' | 'holds' | 'duplicates' | 'workflow'>> {
  const { TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace } = config
  const vault = await findVault(db, target.vaultId)
  const workflowId = workflowIdOf(target)
  const duplicates = await findDuplicates(db, target, vaultsFor(operator, 'read_cases'))
  const named = duplicates.duplicates.map((each) => ({ vaultId: each.vault.id }))
  await recordNamesRead({ db }, by, named)
  return {
    vault: { id: target.vaultId, name: vault?.name ?? '' },
    targetHours: vault?.reviewTargetHours ?? REVIEW_TARGET_HOURS.default,
    holds: await listHolds(db, identificationId),
    duplicates,
    workflow: {
      id: workflowId,
      url: ui === undefined ? null : `${ui}/namespaces/${namespace}/workflows/${workflowId}`,
    },
  }
}

/** Returns the changes since the latest decision. The list is empty if no decision has been made. */
export async function readChangesSinceDecision(
  { db }: WithDb,
  { id, vaultId, form, content, files }: KybApplication,
): Promise<readonly Change[]> {
  const decided = await readDecided(db, vaultId, id)
  if (!decided) return []
  const nameOf = (file: string) => files.get(file)?.name ?? decided.fileNames[file] ?? ''
  return changesBetween(form, decided.content, content, nameOf)
}

async function readScreening({ db, config }: ReviewDeps, entity: EntityKey): Promise<ScreeningResult> {
  const { screenedWith, screenedAt, hits } = await findScreening(db, entity)
  const version = screenedWith === SCREENING_OFF ? null : screenedWith
  return { screenedAt, listVersion: config.SCREENING === 'off' ? 'off' : version, hits }
}

async function findGivenName(
  deps: ReviewDeps,
  { id, vaultId, origin }: Identification,
  kybId: string | null,
): Promise<GivenName | null> {
  if (origin !== 'beneficiary' || kybId === null) return null
  const { content, checks } = await getRecord(deps, { entity: 'kyb', vaultId, id: kybId })
  return givenNameOf(content, checks, id)
}

const kybIdOf = async ({ db }: ReviewDeps, { id, origin, kybId }: Identification): Promise<string | null> =>
  origin === 'beneficiary' ? ((await findKybOfCheck(db, id))?.id ?? null) : kybId
