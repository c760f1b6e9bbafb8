/** Component: the parts that the pages of applications and identifications share. */
import type { Response } from 'express'
import { queueFilterOf } from '../../contracts/queue.ts'
import { hasPermission, vaultsFor } from '../../domain/access/grant.ts'
import { assignmentAt } from '../../domain/decision/assignment.ts'
import { needsSecondOperator, proposalOf } from '../../domain/decision/confirmation.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { Entity, EntityRef, States } from '../../domain/entity/entity.ts'
import { type Records, RULES } from '../../domain/entity/rules.ts'
import { caseOutcome } from '../../domain/review/queue.ts'
import type { UnderReview } from '../../domain/review/review.ts'
import { openHitsIn, type ScreeningResult } from '../../domain/screening/hit.ts'
import { type Screened, screeningProblem } from '../../domain/screening/screening.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listVaultNames } from '../../use-cases/access/names.ts'
import { findQueuePlace, type QueuePlace } from '../../use-cases/review/queue.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import type { FieldProblem } from '../components/layout.tsx'
import type { TextName } from '../texts/index.ts'
import { waitText } from './age.ts'
import type { CasePanel } from './case-page.tsx'
import { type CaseTab, readTab } from './case-tabs.ts'
import { opensConfirmation } from './confirmation.tsx'
import type { Refused, Typed } from './decision.ts'
import { type Deciding, findDeciding } from './decision-drawer.tsx'
import { DELIVERIES } from './deliveries.tsx'
import { rememberedQuery } from './flash.ts'
import { readMarks } from './mark-forms.ts'
import type { Marks } from './marks.tsx'
import { hitOf, Screening } from './screening.tsx'
import { findTimeline, readUntil, type TimelineShown } from './timeline.tsx'
import { type CaseDocument, chosenOf } from './viewer.tsx'
import type { ConsoleVisit } from './visit.ts'
import { wordOf } from './words.ts'
import { workflowRow } from './workflow.tsx'

/** The data that the page of a case needs in addition to the review. */
export interface CaseView {
  readonly visit: ConsoleVisit
  /** The operator's permissions in the vault of the case. */
  readonly mayDecide: boolean
  readonly mayConfirm: boolean
  readonly opensConfirmation: boolean
  /** Whether the operator sees several vaults. */
  readonly isVaultShown: boolean
  readonly timeline: TimelineShown
  readonly deliveries: readonly Delivery[]
  /** The ID of the newest timeline entry that the operator saw before a form was refused. */
  readonly since: number | null
  readonly tab: CaseTab
  readonly marks: Marks
  /** The ID of the hit in the address. */
  readonly hit: string | undefined
  readonly deciding: Deciding
  readonly place: QueuePlace | null
  readonly documents: readonly CaseDocument[]
  readonly chosen: CaseDocument | null
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

interface Asked<E extends Entity> {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef<E>
  readonly res: Response
  readonly refused: Refused
  readonly review: UnderReview
  readonly record: CaseRecord<E>
  readonly documents: readonly CaseDocument[]
  /** The files whose names the timeline shows. */
  readonly files: Parameters<typeof findTimeline>[3]
  /** The values that determine which marks are current. */
  readonly marked: Omit<Parameters<typeof readMarks>[4], 'waitingSince'>
}

/** The complete record of a case. Pages do not need the risks of an identification's company. */
type CaseRecord<E extends Entity> = Omit<Records[E], 'companyRisks'>

export async function loadCaseView<E extends Entity>(asked: Asked<E>): Promise<CaseView> {
  const { deps, visit, target, res, refused, review, record, documents } = asked
  const { assignedTo, waitingSince } = record
  const state = record.state as States[E]
  const { req } = res
  const mayDecide = hasPermission(visit, 'decide', target.vaultId)
  const named = [assignedTo, state.pending?.by, ...review.screening.hits.map(({ decidedBy }) => decidedBy)]
  const timeline = await findTimeline(deps, target, named, asked.files)
  const { deliveries } = await listDeliveries(deps, visit, byOf(visit, req), target, DELIVERIES)
  const tab = readTab(req, refused.problems)
  const chosen = chosenOf(req, documents, tab)
  const marks = await readMarks(
    deps,
    visit,
    target,
    req,
    { ...asked.marked, waitingSince },
    {
      base: consolePath(target.entity, target.id),
      tab,
      document: chosen?.id ?? null,
      canMark: mayDecide && canDecide(target.entity, record) && !state.pending,
    },
  )
  return {
    visit,
    mayDecide,
    opensConfirmation: opensConfirmation(req) || isReasonRefused(refused),
    mayConfirm: hasPermission(visit, 'confirm', target.vaultId),
    isVaultShown: (await listVaultNames(deps, vaultsFor(visit, 'read_cases'))).size > 1,
    timeline,
    deliveries,
    since: readUntil(req),
    tab,
    marks,
    hit: hitOf(req),
    deciding: await findDeciding(deps, visit, target, res, refused),
    place: await findQueuePlace(deps, queueFilterOf(rememberedQuery(req), visit), target.id),
    documents,
    chosen,
    problems: refused.problems,
    typed: refused.typed,
  }
}

/** Returns whether the second operator's reason was refused. */
const isReasonRefused = ({ problems, typed }: Refused): boolean =>
  problems.length > 0 && typed.outcome === undefined && typed.reason_code !== undefined

const isErased = (record: object): boolean => 'erasedAt' in record && record.erasedAt !== null

const canDecide = <E extends Entity>(entity: E, record: CaseRecord<E>): boolean =>
  !isErased(record) && RULES[entity].offered(record.state as States[E]).length > 0

/**
 * Returns the properties of a case's page that do not depend on its kind. `origin` is a further row of the technical
 * details.
 */
export function aboutCase<E extends Entity>(
  { visit: { frame, actor }, mayDecide, isVaultShown }: CaseView,
  { entity, id }: Pick<EntityRef<E>, 'entity' | 'id'>,
  review: UnderReview,
  record: CaseRecord<E>,
  externalId: string,
  ...origin: readonly (readonly [label: string, value: string])[]
) {
  const { t } = frame
  const { waitingSince } = record
  const state = record.state as States[E]
  const { status, offered, commandOf } = RULES[entity]
  const outcome = record.review?.outcome
  const { waitingOn, risks } = review
  const shownStatus = t(
    `console.outcome.state.${caseOutcome({ status: status(state), waitingOn, decision: outcome ?? null })}`,
  )
  const outcomes = mayDecide && !isErased(record) ? offered(state) : []
  return {
    base: consolePath(entity, id),
    vault: isVaultShown ? review.vault.name : null,
    riskLevel: review.riskLevel,
    status: shownStatus,
    waitingOn,
    waitingSince,
    targetHours: review.targetHours,
    version: state.version,
    outcomes,
    needSecond: outcomes.filter((each) => needsSecondOperator(commandOf(each), record.policy, risks, actor)),
    pending: proposalOf(record),
    assignedTo: assignmentAt(record).assignedTo,
    facts: [
      [t('console.filter.vault_id'), review.vault.name],
      [t('console.externalId'), externalId],
      [t('console.column.status'), shownStatus],
      ...origin,
      [t('console.waitsFor'), waitText(frame, review.waitingOn, waitingSince)],
      [t('console.lastDecision'), outcome ? wordOf(frame, 'console.decided', outcome) : t('console.none')],
      [t('console.version'), String(state.version)],
      ...workflowRow(frame, review.workflow),
    ] as const,
  }
}

/** Returns the tab with the screening hits. */
export function screeningPanel(view: CaseView, base: string, screening: ScreeningResult): CasePanel {
  const { visit, mayDecide, documents, timeline, typed, hit } = view
  const open = openHitsIn(screening).length
  return {
    tab: 'screening',
    name: visit.frame.t('console.screening.lists'),
    count: open || screening.hits.length,
    isUrgent: open > 0,
    isWide: true,
    content: (
      <Screening
        visit={visit}
        mayDecide={mayDecide}
        base={base}
        screening={screening}
        chosen={hit}
        documents={documents}
        emails={timeline.emails}
        typed={typed.hit}
      />
    ),
  }
}

/** Returns why the screening prevents an approval, or null if it does not. */
export function screeningLock(screened: Screened): TextName | null {
  const problem = screeningProblem(screened, 'approve')
  return problem && (problem.code === 'hits_open' ? 'console.locked.hits' : 'console.locked.screening')
}
