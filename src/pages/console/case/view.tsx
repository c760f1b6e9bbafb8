/** Component: the parts that the pages of applications and identifications share. */
import type { Response } from 'express'
import type { ComponentChildren } from 'preact'
import { queueFilterOf } from '../../../contracts/queue.ts'
import type { CommentTemplate } from '../../../domain/access/comment-template.ts'
import { hasPermission, vaultsFor } from '../../../domain/access/grant.ts'
import { currentAssignment } from '../../../domain/decision/assignment.ts'
import { needsSecondOperator, proposalOf } from '../../../domain/decision/confirmation.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { Entity, EntityRef, States } from '../../../domain/entity/entity.ts'
import { type Records, RULES } from '../../../domain/entity/rules.ts'
import { type CaseOutcome, caseOutcome } from '../../../domain/review/queue.ts'
import type { UnderReview } from '../../../domain/review/review.ts'
import { type Screened, screeningProblem } from '../../../domain/screening/screening.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listCommentTemplates } from '../../../use-cases/access/comment-templates.ts'
import { listVaultNames } from '../../../use-cases/access/names.ts'
import { findQueuePlace } from '../../../use-cases/review/queue.ts'
import { listDeliveries } from '../../../use-cases/webhooks/deliveries.ts'
import type { Frame } from '../../components/layout.tsx'
import type { TextName } from '../../texts/index.ts'
import { waitText } from '../base/age.ts'
import { opensNextCase, rememberedQuery } from '../base/flash.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { wordOf } from '../base/words.ts'
import type { Refused, Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { readMarks } from './mark-forms.ts'
import { opensConfirmation, readTab } from './tabs.ts'
import { findTimeline, readHistoryFilter, readUntil } from './timeline.tsx'
import { type CaseDocument, chosenOf } from './viewer.tsx'

interface Asked<E extends Entity> {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef<E>
  readonly res: Response
  readonly refused: Refused
  readonly review: UnderReview
  readonly record: CaseRecord<E>
  /** The ID of the case at the client. */
  readonly externalId: string
  /** A further row of the technical details. */
  readonly origin?: Fact
  readonly documents: readonly CaseDocument[]
  readonly files: Parameters<typeof findTimeline>[3]
}

/** A technical detail of a case, such as an ID. */
type Fact = readonly [label: string, value: ComponentChildren]

/** The complete record of a case. Pages do not need the risks of an identification's company. */
type CaseRecord<E extends Entity> = Omit<Records[E], 'companyRisks'>

export type CaseView = Awaited<ReturnType<typeof loadCaseView>>

/** Returns the properties of a case's page that do not depend on its kind. */
export async function loadCaseView<E extends Entity>(asked: Asked<E>) {
  const { deps, visit, target, res, refused, review, record, documents } = asked
  const { actor } = visit
  const { req } = res
  const { assignedTo, waitingSince } = record
  const state = record.state as States[E]
  const { offered, commandOf } = RULES[target.entity]
  const base = consolePath(target.entity, target.id)
  const mayDecide = hasPermission(visit, 'decide', target.vaultId)
  const outcomes = mayDecide && !isErased(record) ? offered(state) : []
  const named = [assignedTo, state.pending?.by, ...review.screening.hits.map(({ decidedBy }) => decidedBy)]
  const timeline = await findTimeline(deps, target, named, asked.files)
  const { entries: deliveries } = await listDeliveries(deps, visit, byOf(visit, req), target, DELIVERIES)
  const tab = readTab(req, refused.problems)
  const chosen = chosenOf(req, documents, tab)
  const canMark = outcomes.length > 0 && !state.pending
  const shown = { base, tab, document: chosen?.id ?? null, canMark }
  return {
    visit,
    base,
    mayDecide,
    mayConfirm: hasPermission(visit, 'confirm', target.vaultId),
    /** The address opens the drawer for the second approval. */
    opensConfirmation: opensConfirmation(req) || isReasonRefused(refused),
    /** The name of the vault, or null if the operator sees only one. */
    vault: (await listVaultNames(deps, vaultsFor(visit, 'read_cases'))).size > 1 ? review.vault.name : null,
    riskLevel: review.riskLevel,
    outcome: outcomeOf(target.entity, review, record),
    waitingOn: review.waitingOn,
    waitingSince,
    /** The review target, in hours of working days. */
    targetHours: review.targetHours,
    version: state.version,
    outcomes,
    needSecond: outcomes.filter((each) =>
      needsSecondOperator(commandOf(each), record.policy, review.risks, actor),
    ),
    /** The decision that awaits a second approval, or null. */
    pending: proposalOf(record),
    assignedTo: currentAssignment(record).assignedTo,
    facts: factsOf(asked),
    timeline,
    deliveries,
    /** The ID of the newest timeline entry that the operator saw before a form was refused. */
    since: readUntil(req),
    historyFilter: readHistoryFilter(req),
    tab,
    marks: await readMarks(deps, visit, target, req, review.marked, shown),
    hit: typeof req.query.hit === 'string' ? req.query.hit : undefined,
    deciding: await findDeciding(deps, visit, target, res, refused),
    /** The position in the queue with the last filter, or null. */
    place: await findQueuePlace(deps, queueFilterOf(rememberedQuery(req), visit), target.id),
    documents,
    chosen,
    problems: refused.problems,
    typed: refused.typed,
  }
}

/** A page of a case, with the properties that depend on its kind. */
export interface CaseProps extends CaseView {
  readonly title: string
  readonly country: string | null | undefined
  /** The reason why the case cannot be approved, or null. */
  readonly locked: TextName | null
  /** The reason with its number, such as "6 details missing", or as a link to the place that removes the lock. */
  readonly lockNote: ComponentChildren
  /** Returns the label of a field or document, which includes the person's name. */
  readonly labelOf: (path: string, fileId?: string) => string
  readonly links?: ComponentChildren
}

/** The data that the decision form needs in addition to the case. */
interface Deciding {
  readonly templates: readonly CommentTemplate[]
  readonly opensNext: boolean
  /** True if the page shows only the form, which then contains the inputs of the findings. */
  readonly isAlone: boolean
  /** True if a form has sent the findings. If false, the findings are the operator's flags. */
  readonly isSent: boolean
  readonly typed: Typed
}

export interface DecisionProps
  extends Pick<
      CaseProps,
      'visit' | 'base' | 'version' | 'outcome' | 'outcomes' | 'locked' | 'needSecond' | 'labelOf'
    >,
    Omit<Deciding, 'isSent'> {
  /** The ID of the newest timeline entry on the page. */
  readonly since: number
}

/** Returns the data for the form. The outcome comes from the address, unless a form was submitted. */
async function findDeciding(
  deps: RouteDeps,
  visit: ConsoleVisit,
  { vaultId }: EntityRef,
  res: Response,
  { typed, isDeciding = false }: Refused,
): Promise<Deciding> {
  const { req } = res
  const asked = req.method === 'GET' && typeof req.query.decide === 'string' ? req.query.decide : undefined
  return {
    templates: await listCommentTemplates(deps, visit, 'read_cases', vaultId),
    opensNext: typed.open_next ?? opensNextCase(req),
    isAlone: isDeciding || asked !== undefined,
    isSent: isDeciding,
    typed: asked === undefined ? typed : { ...typed, outcome: asked },
  }
}

/** Returns whether the second operator's reason was refused. */
const isReasonRefused = ({ problems, typed }: Refused): boolean =>
  problems.length > 0 && typed.outcome === undefined && typed.reason_code !== undefined

const isErased = (record: object): boolean => 'erasedAt' in record && record.erasedAt !== null

const outcomeOf = <E extends Entity>(
  entity: E,
  { waitingOn }: UnderReview,
  { state, review }: CaseRecord<E>,
): CaseOutcome =>
  caseOutcome({
    status: RULES[entity].status(state as States[E]),
    waitingOn,
    decision: review?.outcome ?? null,
  })

function factsOf<E extends Entity>({ visit: { frame }, target, review, record, ...about }: Asked<E>): Fact[] {
  const { t } = frame
  const { externalId, origin } = about
  const outcome = record.review?.outcome
  return [
    [t('console.filter.vault_id'), review.vault.name],
    [t('console.externalId'), externalId],
    [t('console.column.outcome'), t(`console.outcome.state.${outcomeOf(target.entity, review, record)}`)],
    ...(origin ? [origin] : []),
    [t('console.waitsFor'), waitText(frame, review.waitingOn, record.waitingSince)],
    [t('console.lastDecision'), outcome ? wordOf(frame, 'console.decided', outcome) : t('console.none')],
    [t('console.version'), String(record.state.version)],
    ...workflowRow(frame, review),
  ]
}

/** Returns the link to the workflow in the Temporal UI, or no row if the address of the UI is not configured. */
const workflowRow = ({ t }: Frame, { workflow: { id, url } }: UnderReview): Fact[] =>
  url === null
    ? []
    : [
        [
          t('console.workflow'),
          <a href={url} target="_blank" rel="noopener noreferrer">
            {id}
          </a>,
        ],
      ]

/** Returns why the screening prevents an approval, or null if it does not. */
export function screeningLock(screened: Screened): TextName | null {
  const problem = screeningProblem(screened, 'approve')
  return problem && (problem.code === 'hits_open' ? 'console.locked.hits' : 'console.locked.screening')
}
