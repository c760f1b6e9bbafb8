/** Builds the routes of applicants' forms, and limits how many pages are rendered at the same time. */
import type { RequestHandler } from 'express'
import type { RouteDeps } from '../../../http/deps.ts'
import { refuseClosed } from '../../routing/response.tsx'
import { sessionRoutes } from '../../routing/session-routes.ts'
import type { ApplicantVisit } from './visit.ts'
import { type Form, findVisit, takeTurn } from './visit.ts'

export function applicantRoutes<V extends ApplicantVisit>(
  deps: RouteDeps,
  form: Form,
  readForm: RequestHandler,
  load: (deps: RouteDeps, visit: ApplicantVisit) => Promise<V | null>,
) {
  const turn = <T>(visit: ApplicantVisit, work: () => Promise<T>) => takeTurn(deps, visit, work)
  return sessionRoutes({
    deps,
    find: (req) => findVisit(deps, req, form, String(req.params.id)),
    load: (visit, own) => load(own, visit),
    loadAlone: (visit, own) => turn(visit, () => load(own, visit)),
    refuse: refuseClosed,
    readForm,
    turn,
  })
}
