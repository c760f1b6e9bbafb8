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
import { showApplication } from './application.tsx'
import { showCases } from './case-list.tsx'
import { confirmFromForm, enrolFromForm, showCodes } from './codes.tsx'
import { takeConfirmation } from './confirmation.tsx'
import type { Refused } from './decision.ts'
import { decideFromForm, prepareDecision } from './decision-preparation.ts'
import { retryFromForm } from './deliveries.tsx'
import { sendFigure, showFigures } from './figures/page.tsx'
import { showFile } from './files.ts'
import { liftHoldFromForm, placeHoldFromForm } from './holds.tsx'
import { showIdentification } from './identification.tsx'
import { saveMarksFromForm } from './mark-forms.ts'
import { showMissing } from './missing.tsx'
import { addNoteFromForm } from './note.ts'
import { changeOwnPassword, showPassword } from './password.tsx'
import { previewFromForm } from './preview.tsx'
import { showQueue } from './queue.tsx'
import { assignNextFromForm, assignSeveralFromForm, dropFilter, keepFilter } from './queue-actions.ts'
import { decideHitFromForm } from './screening.tsx'
import { search, showSearch } from './search.tsx'
import { settingsRoutes } from './settings/routes.tsx'
import { showSignIn, signInFromForm } from './sign-in.tsx'
import {
  endSessions,
  finishSingleSignOn,
  showConnection,
  signOut,
  startConnection,
  startSingleSignOn,
} from './sso.tsx'
import { type ConsoleVisit, consoleSession } from './visit.ts'

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
  get('/', (visit, req, res, deps) => showQueue(deps, visit, req, res))
  press('/next', (visit, req, res, deps) => assignNextFromForm(deps, visit, req, res))
  press('/assignments', (visit, req, res, deps) => assignSeveralFromForm(deps, visit, req, res))
  pressReading('/filters', (visit, req, res, deps) => keepFilter(deps, visit, req, res))
  pressReading('/filters/delete', (visit, req, res, deps) => dropFilter(deps, visit, req, res))
  get('/cases', (visit, req, res, deps) => showCases(deps, visit, req, res))
  get('/search', (visit, req, res, deps) => showSearch(deps, visit, req, res))
  pressReading('/search', (visit, req, res, deps) => search(deps, visit, req, res))
  get('/figures', (visit, req, res, deps) => showFigures(deps, visit, req, res))
  get('/figures/:name.csv', (visit, req, res, deps) => sendFigure(deps, visit, req, res))
  get('/files/:id', (visit, req, res, deps) => showFile(deps, visit, String(req.params.id), res))
  const caseForm = async <E extends Entity>(
    permission: Permission,
    entity: E,
    visit: ConsoleVisit,
    req: Request,
    res: Response,
    deps: RouteDeps,
  ) => {
    const target = await targetOf(deps, visit, permission, entity, req)
    const showAgain = (refused: Refused) => showCase(deps, visit, target, res, refused)
    return { deps, visit, target, req, res, showAgain }
  }
  press('/identifications/:id/cases', async (...asked) =>
    placeHoldFromForm(await caseForm('decide', 'identification', ...asked)),
  )
  pressConfirming('/identifications/:id/cases/:case/close', async (...asked) => {
    if (!isUuid(asked[1].params.case)) throw new RequestRefused({ code: 'not_found' })
    await liftHoldFromForm(await caseForm('confirm', 'identification', ...asked))
  })
  press('/screening_hits/:hit/decision', async (visit, req, res, deps) => {
    if (!isUuid(req.params.hit)) throw new RequestRefused({ code: 'not_found' })
    const showAgain = (target: EntityRef, refused: Refused) => showCase(deps, visit, target, res, refused)
    await decideHitFromForm(deps, visit, String(req.params.hit), req, res, showAgain)
  })
  for (const [path, entity] of [
    ['/kyb/:id', 'kyb'],
    ['/identifications/:id', 'identification'],
  ] as const) {
    get(path, async (visit, req, res, deps) =>
      showCase(deps, visit, await targetOf(deps, visit, 'read_cases', entity, req), res),
    )
    press(`${path}/decision`, async (...asked) => decideFromForm(await caseForm('decide', entity, ...asked)))
    press(`${path}/decision/preview`, async (...asked) =>
      previewFromForm(await caseForm('decide', entity, ...asked)),
    )
    for (const [step, permission] of Object.entries(CONFIRMATION_PERMISSIONS)) {
      const pressWith = { decide: press, confirm: pressConfirming }[permission]
      pressWith(`${path}/decision/${step}`, async (...asked) =>
        takeConfirmation(step as ConfirmationStep, await caseForm(permission, entity, ...asked)),
      )
    }
    press(`${path}/decision/prepare`, async (...asked) =>
      prepareDecision(await caseForm('decide', entity, ...asked)),
    )
    press(`${path}/marks`, async (...asked) => saveMarksFromForm(await caseForm('decide', entity, ...asked)))
    press(`${path}/notes`, async (...asked) => addNoteFromForm(await caseForm('decide', entity, ...asked)))
    press(`${path}/deliveries/:delivery/retry`, async (...asked) => {
      if (!isUuid(asked[1].params.delivery)) throw new RequestRefused({ code: 'not_found' })
      await retryFromForm(await caseForm('decide', entity, ...asked))
    })
    press(`${path}/assignment`, async (visit, req, res, deps) => {
      const { actor } = visit
      const target = await targetOf(deps, visit, 'decide', entity, req)
      const isLetGo = (req.body as Sent | undefined)?.assign === 'no'
      // The page names the current operator of the case, so this button may also reassign the case.
      await (isLetGo ? unassign(deps, target, actor) : assign(deps, target, actor, true))
      res.redirect(303, consolePath(entity, target.id))
    })
  }
  get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })

  const own = consoleSession(deps, readForm)
  own.get('/password', (visit, _req, res) => showPassword(visit, res))
  own.press('/password', (visit, req, res, deps) => changeOwnPassword(deps, visit, req, res))
  own.get('/codes', (visit, _req, res, deps) => showCodes(deps, visit, res))
  own.press('/codes', (visit, req, res, deps) => enrolFromForm(deps, visit, req, res))
  own.press('/codes/confirm', (visit, req, res, deps) => confirmFromForm(deps, visit, req, res))
  own.press('/sign_out', (visit, req, res, deps) => signOut(deps, visit, req, res))
  if (deps.identityProvider) {
    own.get('/single_sign_on', (visit, _req, res, deps) => showConnection(deps, visit, res))
    own.press('/single_sign_on', (visit, req, res, deps) => startConnection(deps, visit, req, res))
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
