/** A form on the page of an application or identification: what it asks for is done, or the page says why not. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { consolePath, type Entity, type EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import type { Sent } from '../form-values.ts'
import { collectProblems } from '../refusals.ts'
import { type Refused, refusedDecision, type Typed } from './decision.ts'
import type { ConsoleVisit } from './visit.ts'

export interface CaseForm<E extends Entity> {
  readonly deps: RouteDeps
  readonly visit: ConsoleVisit
  readonly target: EntityRef<E>
  readonly req: Request
  readonly res: Response
  /** The page, with what was refused. */
  readonly showAgain: (refused: Refused) => Promise<void>
}

/** The name that the form has for what it makes, or null: sent again, it makes no second one. */
export const idIn = (sent: Sent | undefined): string | null =>
  typeof sent?.id === 'string' && isUuid(sent.id) ? sent.id.toLowerCase() : null

interface About {
  /** The id of what the form is about. */
  readonly place?: string
  /** To be shown again where it is refused. */
  readonly typed?: Typed
}

/** Runs what a form asks for, and shows the page as it is then. Throws `not_found` if what the form names is gone. */
export async function runCaseForm<E extends Entity>(
  { visit, target, res, showAgain }: CaseForm<E>,
  work: () => Promise<unknown>,
  { place = '', typed = {} }: About = {},
): Promise<void> {
  const problems = await collectProblems(work)
  // There is no page on which to say so.
  if (problems.some(({ code }) => code === 'not_found')) throw new RequestRefused(...problems)
  if (problems.length > 0) return showAgain({ ...refusedDecision(visit.frame, problems, place), typed })
  const page = consolePath(target.entity, target.id)
  res.redirect(303, place === '' ? page : `${page}#${place}`)
}
