/** Routes for the operators' console, below `/console`. */
import type { Request, RequestHandler, Response, Router } from 'express'
import { validate as isUuid } from 'uuid'
import type { Permission } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { CONFIRMATION_PERMISSIONS, type ConfirmationStep } from '../../domain/decision/confirmation.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { Entity, EntityRef } from '../../domain/entity/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { createRouter } from '../../http/router.ts'
import { assign, unassign } from '../../use-cases/case/assignment.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { chooseLanguage } from '../routing/language.ts'
import { readSmallForm } from '../routing/read-form.ts'
import type { Sent } from '../values/form-values.ts'
import { confirmFromForm, enrolFromForm, showCodes } from './account/codes.tsx'
import { changeOwnPassword, showPassword } from './account/password.tsx'
import { showSignIn, signInFromForm } from './account/sign-in.tsx'
import {
  endSessions,
  finishSingleSignOn,
  showConnection,
  signOut,
  startConnection,
  startSingleSignOn,
} from './account/sso.tsx'
import { setFlash } from './base/flash.ts'
import { showMissing } from './base/missing.tsx'
import { type ConsoleVisit, consoleSession } from './base/visit.ts'
import { showApplication } from './case/application.tsx'
import { takeConfirmation } from './case/confirmation.tsx'
import type { Refused } from './case/decision.ts'
import { decideFromForm, prepareDecision } from './case/decision-preparation.ts'
import { retryFromForm } from './case/deliveries.tsx'
import { showFile } from './case/files.ts'
import type { CaseForm } from './case/form.ts'
import { liftHoldFromForm, placeHoldFromForm } from './case/holds.tsx'
import { showIdentification } from './case/identification.tsx'
import { saveMarksFromForm } from './case/mark-forms.ts'
import { addNoteFromForm } from './case/note.ts'
import { previewFromForm } from './case/preview.tsx'
import { changeProfileFromForm } from './case/profile-change.tsx'
import { decideHitFromForm } from './case/screening.tsx'
import { sendTimeline } from './case/timeline-export.ts'
import { clientRoutes } from './client/routes.tsx'
import { sendFigure, showFigures } from './figures/page.tsx'
import { sendCases, showCases } from './lists/case-list.tsx'
import { showQueue } from './lists/queue.tsx'
import { assignNextFromForm, assignSeveralFromForm, dropFilter, keepFilter } from './lists/queue-actions.ts'
import { search, showSearch } from './lists/search.tsx'
import { settingsRoutes } from './settings/routes.tsx'

/** Returns the case in the address. Throws `not_found` if the operator cannot see it. */
function targetOf<E extends Entity>(
  deps: RouteDeps,
  visit: ConsoleVisit,
  permission: Permission,
  entity: E,
  req: Request,
): Promise<EntityRef<E>> {
  const id = String(req.params.id)
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return findTarget(deps, visit, permission, entity, id)
}

type Show<E extends Entity> = (
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<E>,
  ...shown: [res: Response, refused?: Refused]
) => Promise<void>

const PAGES: { readonly [E in Entity]: Show<E> } = {
  kyb: showApplication,
  identification: showIdentification,
}

const showCase = <E extends Entity>(...[deps, visit, target, ...shown]: Parameters<Show<E>>) =>
  PAGES[target.entity](deps, visit, target, ...shown)

export function consoleRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const { router, get, press: pressReading } = consoleSession(deps, readForm, 'read_cases')
  const { router: deciding, press } = consoleSession(deps, readForm, 'decide')
  const { router: confirming, press: pressConfirming } = consoleSession(deps, readForm, 'confirm')
  get('/', (request) => showQueue(request))
  press('/next', assignNextFromForm)
  press('/assignments', assignSeveralFromForm)
  pressReading('/filters', keepFilter)
  pressReading('/filters/delete', dropFilter)
  get('/cases', showCases)
  get('/cases.csv', sendCases)
  get('/search', showSearch)
  pressReading('/search', search)
  get('/figures', showFigures)
  get('/figures/:name.csv', sendFigure)
  get('/files/:id', ({ deps, visit, req, res }) => showFile(deps, visit, String(req.params.id), res))
  /** Adds a route for a form on the page of a case. All parameters of its path are IDs. */
  const pressCase = <E extends Entity>(
    path: string,
    entity: E,
    save: (form: CaseForm<E>) => Promise<void>,
    permission: 'decide' | 'confirm' = 'decide',
  ) =>
    ({ decide: press, confirm: pressConfirming })[permission](path, async ({ deps, visit, req, res }) => {
      if (!Object.values(req.params).every(isUuid)) throw new RequestRefused({ code: 'not_found' })
      const target = await targetOf(deps, visit, permission, entity, req)
      const showAgain = (refused: Refused) => showCase(deps, visit, target, res, refused)
      await save({ deps, visit, target, req, res, showAgain })
    })
  pressCase('/identifications/:id/cases', 'identification', placeHoldFromForm)
  pressCase('/identifications/:id/cases/:case/close', 'identification', liftHoldFromForm, 'confirm')
  press('/screening_hits/:hit/decision', async ({ deps, visit, req, res }) => {
    if (!isUuid(req.params.hit)) throw new RequestRefused({ code: 'not_found' })
    const showAgain = (target: EntityRef, refused: Refused) => showCase(deps, visit, target, res, refused)
    await decideHitFromForm(deps, visit, String(req.params.hit), req, res, showAgain)
  })
  for (const [path, entity] of [
    ['/kyb/:id', 'kyb'],
    ['/identifications/:id', 'identification'],
  ] as const) {
    get(path, async ({ deps, visit, req, res }) =>
      showCase(deps, visit, await targetOf(deps, visit, 'read_cases', entity, req), res),
    )
    get(`${path}/timeline.csv`, async (request) =>
      sendTimeline(request, await targetOf(deps, request.visit, 'read_cases', entity, request.req)),
    )
    for (const [step, permission] of Object.entries(CONFIRMATION_PERMISSIONS)) {
      const take = (form: CaseForm<Entity>) => takeConfirmation(step as ConfirmationStep, form)
      pressCase(`${path}/decision/${step}`, entity, take, permission)
    }
    pressCase(`${path}/decision`, entity, decideFromForm)
    pressCase(`${path}/profile`, entity, changeProfileFromForm)
    pressCase(`${path}/decision/preview`, entity, previewFromForm)
    pressCase(`${path}/decision/prepare`, entity, prepareDecision)
    pressCase(`${path}/marks`, entity, saveMarksFromForm)
    pressCase(`${path}/notes`, entity, addNoteFromForm)
    pressCase(`${path}/deliveries/:delivery/retry`, entity, retryFromForm)
    press(`${path}/assignment`, async ({ deps, visit, req, res }) => {
      const { actor } = visit
      const target = await targetOf(deps, visit, 'decide', entity, req)
      const isLetGo = (req.body as Sent | undefined)?.assign === 'no'
      // The page names the current operator of the case, so this button may also reassign the case.
      await (isLetGo ? unassign(deps, target, actor) : assign(deps, target, actor, true))
      setFlash(deps, res, isLetGo ? 'unassigned' : 'assigned', target)
      res.redirect(303, consolePath(entity, target.id))
    })
  }
  get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })

  const own = consoleSession(deps, readForm)
  own.get('/password', ({ visit, res }) => showPassword(visit, res))
  own.press('/password', changeOwnPassword)
  own.get('/codes', ({ deps, visit, res }) => showCodes(deps, visit, res))
  own.press('/codes', enrolFromForm)
  own.press('/codes/confirm', confirmFromForm)
  own.press('/sign_out', signOut)
  if (deps.identityProvider) {
    own.get('/single_sign_on', showConnection)
    own.press('/single_sign_on', startConnection)
  }

  const all = createRouter()
  all.use((req, res, next) => {
    if (req.method !== 'GET' || !chooseLanguage(deps, req, res)) next()
  })
  all.get('/sign_in', (req, res) => showSignIn(deps, req, res))
  all.post('/sign_in', readSmallForm, (req, res) => signInFromForm(deps, req, res))
  if (deps.identityProvider) {
    all.post('/sso', readSmallForm, (req, res) => startSingleSignOn(deps, req, res))
    all.get('/sso/callback', (req, res) => finishSingleSignOn(deps, req, res))
    all.post('/sso/backchannel_logout', readSmallForm, (req, res) => endSessions(deps, req, res))
  }
  all.use('/client', clientRoutes(deps, readForm))
  all.use('/settings', settingsRoutes(deps, readForm))
  all.use(own.router)
  all.use(confirming)
  all.use(deciding)
  all.use(router)
  all.use(() => {
    throw new RequestRefused({ code: 'not_found' })
  })
  all.use(showMissing(deps))
  return all
}
