/** Component: the decision form, in a drawer over the case or, without scripts, on a separate page. */
import type { Response } from 'express'
import type { CommentTemplate } from '../../domain/access/comment-template.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listCommentTemplates } from '../../use-cases/access/comment-templates.ts'
import { Drawer } from '../components/drawer.tsx'
import type { FieldProblem } from '../components/layout.tsx'
import type { Refused, Typed } from './decision.ts'
import { DecisionForm, type DecisionProps } from './decision-form.tsx'
import { opensNextCase } from './flash.ts'
import { Shell } from './shell.tsx'
import { Meanwhile, type TimelineShown } from './timeline.tsx'
import type { ConsoleVisit } from './visit.ts'

/** The data that the form needs in addition to the case. */
export interface Deciding {
  readonly templates: readonly CommentTemplate[]
  readonly opensNext: boolean
  /** True if the page shows only the form. */
  readonly isAlone: boolean
  /** True if a form has sent the findings. If false, the findings are the operator's flags. */
  readonly isSent: boolean
  readonly typed: Typed
}

/** Returns the data for the form. The outcome comes from the address, unless a form was submitted. */
export async function findDeciding(
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

interface DecisionDrawerProps extends DecisionProps {
  /** The name of the case. */
  readonly title: string
}

export function DecisionDrawer({ title, ...form }: DecisionDrawerProps) {
  const { t } = form.visit.frame
  return (
    <Drawer id="decide" title={t('console.decide.title', { title })} closeLabel={t('console.keys.close')}>
      <DecisionForm {...form} isAlone={false} />
    </Drawer>
  )
}

interface DecisionPageProps extends DecisionDrawerProps {
  readonly problems: readonly FieldProblem[]
  readonly timeline: TimelineShown
  /** The ID of the newest timeline entry that the operator saw before the form was refused. */
  readonly seen: number | null
}

export function DecisionPage({ title, problems, timeline, seen, ...form }: DecisionPageProps) {
  const { frame } = form.visit
  return (
    <Shell visit={form.visit} title={frame.t('console.decide.title', { title })} problems={problems}>
      {problems.length > 0 ? <Meanwhile frame={frame} {...timeline} since={seen} /> : null}
      <div class="card decision-page">
        <DecisionForm {...form} isAlone />
      </div>
    </Shell>
  )
}
