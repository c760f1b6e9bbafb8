/** Component: the parts that the pages of applications and identifications share. */
import type { Response } from 'express'
import { queueFilterOf } from '../../contracts/queue.ts'
import { hasPermission } from '../../domain/access/grant.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { openHitsIn, type ScreeningResult } from '../../domain/screening/hit.ts'
import { type Screened, screeningProblem } from '../../domain/screening/screening.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { findQueuePlace, type QueuePlace } from '../../use-cases/review/queue.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import type { FieldProblem } from '../components/layout.tsx'
import type { TextName } from '../texts/index.ts'
import type { CasePanel } from './case-page.tsx'
import { type CaseTab, readTab } from './case-tabs.ts'
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

/** The data that the page of a case needs in addition to the review. */
export interface CaseView {
  readonly visit: ConsoleVisit
  /** The operator's permissions in the vault of the case. */
  readonly mayDecide: boolean
  readonly mayConfirm: boolean
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

interface Asked {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef
  readonly res: Response
  readonly refused: Refused
  readonly screening: ScreeningResult
  readonly documents: readonly CaseDocument[]
  /** The files whose names the timeline shows. */
  readonly files: Parameters<typeof findTimeline>[3]
  /** The operators to whom the case is assigned or who have proposed a decision. */
  readonly actors: Parameters<typeof findTimeline>[2]
  /** The times that determine which marks are current. */
  readonly marked: Parameters<typeof readMarks>[4]
  readonly canMark: boolean
}

export async function loadCaseView(asked: Asked): Promise<CaseView> {
  const { deps, visit, target, res, refused, screening, documents } = asked
  const { req } = res
  const mayDecide = hasPermission(visit, 'decide', target.vaultId)
  const named = [...asked.actors, ...screening.hits.map(({ decidedBy }) => decidedBy)]
  const timeline = await findTimeline(deps, target, named, asked.files)
  const { deliveries } = await listDeliveries(deps, visit, byOf(visit, req), target, DELIVERIES)
  const tab = readTab(req, refused.problems)
  const chosen = chosenOf(req, documents)
  const marks = await readMarks(deps, visit, target, req, asked.marked, {
    base: consolePath(target.entity, target.id),
    tab,
    document: chosen?.id ?? null,
    canMark: asked.canMark && mayDecide,
  })
  return {
    visit,
    mayDecide,
    mayConfirm: hasPermission(visit, 'confirm', target.vaultId),
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
