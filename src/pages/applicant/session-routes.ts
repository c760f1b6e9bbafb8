/** Routes of applicants' forms, whose pages vaults and verifications share. */
import type { RequestHandler } from 'express'
import type { RouteDeps } from '../../http/deps.ts'
import { refuseClosed } from '../response.tsx'
import { sessionRoutes } from '../session-routes.ts'
import { type Form, findVisit, type Visit } from '../visit.ts'

export function applicantRoutes<V extends Visit>(
  deps: RouteDeps,
  form: Form,
  readForm: RequestHandler,
  load: (visit: Visit) => Promise<V | null>,
) {
  // One verification has any number of sessions, so they count together.
  const turn = <T>({ vaultId, actor }: Visit, work: () => Promise<T>) =>
    deps.showing.run({ vaultId, caller: actor }, work)
  return sessionRoutes({
    find: (req) => findVisit(deps, req, form, String(req.params.id)),
    load,
    loadAlone: (visit) => turn(visit, () => load(visit)),
    refuse: refuseClosed,
    readForm,
    turn,
  })
}
