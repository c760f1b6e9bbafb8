/**
 * Routes for vaults' own users, below `/console/client`. `PAGES` lists every page and form that their roles permit. All
 * other routes of the console require a permission of operators.
 */
import type { RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { clientActor } from '../../../domain/access/access.ts'
import { clientAccessOf, type SeatPermission, seatPermits } from '../../../domain/access/seat.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { createRouter } from '../../../http/router.ts'
import { ANONYMOUS } from '../../../use-cases/access/caller.ts'
import { sendPage } from '../../routing/response.tsx'
import { formAskOf } from '../base/ask.ts'
import { runForm } from '../base/form.ts'
import { Shell } from '../base/shell.tsx'
import { type ConsoleRequest, consoleSession, seatPath } from '../base/visit.ts'
import { askToRevoke, createKey, type KeysHandler, keysPage, revokeKey } from '../settings/api-keys.tsx'
import { runUrlAction } from '../webhook/actions.tsx'
import { urlPage } from '../webhook/page.tsx'
import { resendPage, runResend } from '../webhook/resend.tsx'
import { type ClientAsk, type ClientHandler, canManage } from './ask.ts'
import { casePage, renewBeneficiaryLink, renewLink } from './case.tsx'
import { homePage } from './home.tsx'
import { createLink, newLinkPage } from './link.tsx'
import { askToChange, createMember, membersPage, saveMember } from './members.tsx'
import { search, searchPage } from './search.tsx'
import { addUrl, deliveryPage, ofUrl, resendDelivery, webhooksPage } from './webhooks.tsx'

const PERMISSIONS = ['manage_own', 'read_own'] as const satisfies readonly SeatPermission[]

/** The pages of a path. Each form that changes data requires `manage_own`. */
interface Pages {
  readonly see?: ClientHandler
  /** Asks for confirmation before a form that changes data. */
  readonly confirm?: ClientHandler
  /** Handles a form that changes nothing. */
  readonly find?: ClientHandler
  /** Saves a form, which is shown again on this page if it is refused. */
  readonly save?: readonly [save: ClientHandler, again: ClientHandler]
}

/** Shows a page of the vault's keys, which operators also see. */
const ofKeys =
  (handler: KeysHandler): ClientHandler =>
  (ask) => {
    const { id: vaultId } = ask.seat
    const list = seatPath(vaultId, 'keys')
    const mayChange = canManage(ask)
    const revocationOf = (id: string) => `${list}/${id}/revoke`
    return handler({ ...ask, user: ask.caller, vaultId, mayChange, list, revocationOf })
  }

/** The paths below that of the vault. */
const PAGES: Readonly<Record<string, Pages>> = {
  '': { see: homePage },
  '/search': { see: searchPage, find: search },
  '/links': { see: newLinkPage, save: [createLink, newLinkPage] },
  '/kyb/:id': { see: casePage('kyb') },
  '/kyb/:id/link': { save: [renewLink('kyb'), casePage('kyb')] },
  '/kyb/:id/beneficiaries/:person/link': { save: [renewBeneficiaryLink, casePage('kyb')] },
  '/identifications/:id': { see: casePage('identification') },
  '/webhooks': { see: webhooksPage, save: [addUrl, webhooksPage] },
  '/webhooks/urls/:id': { see: ofUrl(urlPage), save: [ofUrl(runUrlAction), ofUrl(urlPage)] },
  '/webhooks/urls/:id/resend': { see: ofUrl(resendPage), save: [ofUrl(runResend), ofUrl(resendPage)] },
  '/webhooks/:id': { see: deliveryPage, save: [resendDelivery, deliveryPage] },
  '/keys': { see: ofKeys(keysPage), save: [ofKeys(createKey), ofKeys(keysPage)] },
  '/keys/:id/revoke': { confirm: ofKeys(askToRevoke), save: [ofKeys(revokeKey), ofKeys(keysPage)] },
  '/members': { see: membersPage, save: [createMember, membersPage] },
  '/members/:id': { confirm: askToChange, save: [saveMember, membersPage] },
  '/identifications/:id/link': { save: [renewLink('identification'), casePage('identification')] },
}

/** Returns the request with the seat in the address. Throws `not_found` if the user has no such seat there. */
function askOf(request: ConsoleRequest, permission: SeatPermission): ClientAsk {
  const { visit, req } = request
  const { vault, ...ids } = req.params
  const seat = visit.seats.find(({ id }) => id === vault)
  if (!seat || !seatPermits(seat, permission) || !Object.values(ids).every(isUuid))
    throw new RequestRefused({ code: 'not_found' })
  const { userId } = visit
  const caller = { ...ANONYMOUS, actor: clientActor(userId), userId, vaults: [clientAccessOf(seat)] }
  return { ...formAskOf(request, byOf(caller, req)), seat, caller, id: String(ids.id ?? '') }
}

async function reply(ask: ClientAsk, handler: ClientHandler): Promise<void> {
  const { visit, res, again } = ask
  const answer = await handler(ask)
  if (typeof answer === 'string') return res.redirect(303, answer)
  const { isWide, children, ...page } = answer
  sendPage(
    res,
    again.status,
    <Shell visit={visit} problems={again.problems} class={isWide ? undefined : 'client-page'} {...page}>
      {children}
    </Shell>,
  )
}

export function clientRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const [managing, reading] = PERMISSIONS.map((permission) => consoleSession(deps, readForm, permission))
  for (const [path, { see, confirm, find, save }] of Object.entries(PAGES)) {
    if (see) reading?.get(`/:vault${path}`, (request) => reply(askOf(request, 'read_own'), see))
    if (confirm) managing?.get(`/:vault${path}`, (request) => reply(askOf(request, 'manage_own'), confirm))
    if (find) reading?.press(`/:vault${path}`, (request) => reply(askOf(request, 'read_own'), find))
    if (save)
      managing?.press(`/:vault${path}`, async (request) => {
        const ask = askOf(request, 'manage_own')
        const again = await runForm(ask.frame, ask.req, () => reply(ask, save[0]))
        if (again) await reply({ ...ask, again }, save[1])
      })
  }
  reading?.get('/', ({ visit, res }) => res.redirect(303, seatPath(visit.seats[0]?.id ?? '')))
  reading?.get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })
  const all = createRouter()
  for (const session of [managing, reading]) if (session) all.use(session.router)
  return all
}
