/** Builds the routes of applicants' forms and limits the pages that are rendered at the same time. */
import type { RequestHandler } from 'express'
import type { RouteDeps } from '../../http/deps.ts'
import { refuseClosed } from '../response.tsx'
import { sessionRoutes } from '../session-routes.ts'
import { type Form, findVisit, type Visit } from '../visit.ts'

export function applicantRoutes<V extends Visit>(
  deps: RouteDeps,
  form: Form,
  readForm: RequestHandler,
  load: (deps: RouteDeps, visit: Visit) => Promise<V | null>,
) {
  // A verification can have many sessions, so the limit counts per verification.
  const turn = <T>({ vaultId, actor }: Visit, work: () => Promise<T>) =>
    deps.showing.run({ vaultId, caller: actor }, work)
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
