/** Runs a form on the page of a case, and shows the page again if the form is refused. */
import type { Request, Response } from 'express'
import { RequestRefused } from '../../../domain/base/errors.ts'
import type { Entity, EntityRef } from '../../../domain/entity/entity.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { collectProblems } from '../../routing/refusals.ts'
import { type CaseNotice, setFlash } from '../base/flash.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { type Refused, refusedDecision, type Typed } from './decision.ts'
import { casePath } from './tabs.ts'

export interface CaseForm<E extends Entity> {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef<E>
  readonly req: Request
  readonly res: Response
  /** Shows the page again, with the problems and the typed values. */
  readonly showAgain: (refused: Refused) => Promise<void>
}

interface About {
  /** The ID of the element that the page shows after the redirect. */
  readonly place?: string
  /** The values to show again if the form is refused. */
  readonly typed?: Typed
  /** The notice that the page shows if the form is accepted. */
  readonly done?: CaseNotice
}

/** Runs the work and redirects to the case. Throws `not_found` if an object in the request is missing. */
export async function runCaseForm<E extends Entity>(
  { deps, visit, target, res, showAgain }: CaseForm<E>,
  work: () => Promise<unknown>,
  { place = '', typed = {}, done }: About = {},
): Promise<void> {
  const problems = await collectProblems(work)
  // The page of the case may not exist, so it cannot show the problem.
  if (problems.some(({ code }) => code === 'not_found')) throw new RequestRefused(...problems)
  if (problems.length > 0) return showAgain({ ...refusedDecision(visit.frame, problems, place), typed })
  if (done) setFlash(deps, res, done, target)
  res.redirect(303, casePath(target, place))
}
