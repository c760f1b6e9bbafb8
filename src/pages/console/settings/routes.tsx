/** Routes for the settings, below `/console/settings`. */
import type { Request, RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { createRouter } from '../../../http/router.ts'
import { sendMessage, sendPage } from '../../routing/response.tsx'
import { formAskOf } from '../base/ask.ts'
import { runForm } from '../base/form.ts'
import { type ConsoleRequest, consoleSession } from '../base/visit.ts'
import { runUrlAction } from '../webhook/actions.tsx'
import { urlPage } from '../webhook/page.tsx'
import { resendPage, runResend } from '../webhook/resend.tsx'
import { actionsPage, confirmProposal, withdrawProposal } from './actions.tsx'
import { askToRevoke, createKey, keysPage, ofKey, ofKeys, revokeKey } from './api-keys.tsx'
import type { Ask, Handler, Reply } from './ask.ts'
import { auditPage, sendAudit } from './audit.tsx'
import { brandingPage, saveBranding, sendColors } from './branding.tsx'
import {
  askToRemoveTemplate,
  removeTemplate,
  saveTemplate,
  templatePage,
  templatesPage,
} from './comment-templates.tsx'
import { emailsPage } from './emails.tsx'
import { erasuresPage } from './erasures.tsx'
import { groupPage, groupsPage, newGroupPage, saveGroup } from './groups.tsx'
import { Settings } from './layout.tsx'
import { exportProfile, importPage, importProfile } from './profile/exchange.tsx'
import { askToRemoveRow, profilePage, removeRow, saveRow } from './profile/page.tsx'
import { previewOf } from './profile/preview.tsx'
import { publicationPage, publishProfile, sendRehearsal } from './profile/publication.tsx'
import { readsPage } from './reads.tsx'
import { BASE, vaultPath } from './sections.ts'
import { singleSignOnPage } from './single-sign-on.tsx'
import {
  askUserAction,
  changeUser,
  createUser,
  doUserAction,
  newUserPage,
  USER_ACTIONS,
  userPage,
} from './user.tsx'
import { usersPage } from './users.tsx'
import { changeVault, createVault, newVaultPage, vaultPage } from './vault.tsx'
import { vaultsPage } from './vaults.tsx'
import { ofUrl, webhooksPage } from './webhooks.tsx'

/** The permissions of the settings. The routes of the last one also handle all remaining paths. */
const PERMISSIONS = ['administer_deployment', 'read_deployment', 'administer', 'read_settings'] as const
type SettingsPermission = (typeof PERMISSIONS)[number]

/** The pages of a path. Each form requires the permission before it. */
interface Pages {
  readonly see?: readonly [SettingsPermission, Handler]
  /** Saves a form, which is shown again on this page if it is refused. */
  readonly save?: readonly [SettingsPermission, save: Handler, again: Handler]
  /** Performs an action that has no form to show again. */
  readonly act?: readonly [SettingsPermission, Handler]
  /** Sends a response other than a settings page. */
  readonly show?: readonly [SettingsPermission, (ask: Ask) => Promise<void>]
  /** As `save`, for a form with a file, which the handler parses. */
  readonly upload?: readonly [SettingsPermission, save: Handler, again: Handler]
}

const TEMPLATES = '/vaults/:id/comment_templates'

const userActions = USER_ACTIONS.map((action): [string, Pages] => [
  `/users/:id/${action}`,
  {
    see: ['administer_deployment', askUserAction(action)],
    save: ['administer_deployment', doUserAction(action), askUserAction(action)],
  },
])

/** A path without parameters is before a path that also matches it. */
const PAGES: Readonly<Record<string, Pages>> = {
  '/': { see: ['read_settings', () => `${BASE}/vaults`] },
  '/vaults': { see: ['read_settings', vaultsPage] },
  '/vaults/new': {
    see: ['administer_deployment', newVaultPage],
    save: ['administer_deployment', createVault, newVaultPage],
  },
  '/vaults/:id': { see: ['read_settings', vaultPage], save: ['administer', changeVault, vaultPage] },
  '/vaults/:id/webhooks': { see: ['read_settings', webhooksPage] },
  '/vaults/:id/webhooks/:url': {
    see: ['read_settings', ofUrl(urlPage)],
    save: ['administer', ofUrl(runUrlAction), ofUrl(urlPage)],
  },
  '/vaults/:id/webhooks/:url/resend': {
    see: ['read_settings', ofUrl(resendPage)],
    save: ['administer', ofUrl(runResend), ofUrl(resendPage)],
  },
  '/vaults/:id/pages': {
    see: ['read_settings', brandingPage],
    upload: ['administer', saveBranding, brandingPage],
  },
  '/vaults/:id/preview': {
    see: ['read_settings', ({ id }) => `${vaultPath(id, 'pages')}#preview-title`],
  },
  '/vaults/:id/emails': { see: ['read_settings', emailsPage] },
  '/vaults/:id/profile': { see: ['read_settings', profilePage], save: ['administer', saveRow, profilePage] },
  '/vaults/:id/profile/remove': { see: ['administer', askToRemoveRow], act: ['administer', removeRow] },
  '/vaults/:id/profile/preview/kyb{/*rest}': { show: ['read_settings', previewOf('kyb')] },
  '/vaults/:id/profile/preview/person{/*rest}': { show: ['read_settings', previewOf('person')] },
  '/vaults/:id/profile/preview/link{/*rest}': { show: ['read_settings', previewOf('link')] },
  '/vaults/:id/profile/import': {
    see: ['administer', importPage],
    upload: ['administer', importProfile, importPage],
  },
  '/vaults/:id/profile/export': { show: ['read_settings', exportProfile] },
  '/vaults/:id/profile/rehearsal': { show: ['read_settings', sendRehearsal] },
  '/vaults/:id/profile/publish': {
    see: ['read_settings', publicationPage],
    save: ['administer', publishProfile, publicationPage],
  },
  '/vaults/:id/api_keys': {
    see: ['read_settings', ofKeys(keysPage)],
    save: ['administer', ofKeys(createKey), ofKeys(keysPage)],
  },
  '/api_keys/:id/revoke': { see: ['administer', ofKey(askToRevoke)], act: ['administer', ofKey(revokeKey)] },
  [TEMPLATES]: { see: ['read_settings', templatesPage] },
  [`${TEMPLATES}/new`]: {
    see: ['administer', templatePage],
    save: ['administer', saveTemplate, templatePage],
  },
  [`${TEMPLATES}/:template`]: {
    see: ['read_settings', templatePage],
    save: ['administer', saveTemplate, templatePage],
  },
  [`${TEMPLATES}/:template/remove`]: {
    see: ['administer', askToRemoveTemplate],
    act: ['administer', removeTemplate],
  },
  '/users': { see: ['read_deployment', usersPage] },
  '/users/new': {
    see: ['administer_deployment', newUserPage],
    save: ['administer_deployment', createUser, newUserPage],
  },
  '/users/:id': {
    see: ['read_deployment', userPage],
    save: ['administer_deployment', changeUser, userPage],
  },
  ...Object.fromEntries(userActions),
  '/single_sign_on': { see: ['read_deployment', singleSignOnPage] },
  '/groups': { see: ['read_deployment', groupsPage] },
  '/groups/new': { see: ['administer_deployment', newGroupPage] },
  '/groups/group': {
    see: ['read_deployment', groupPage],
    save: ['administer_deployment', saveGroup, newGroupPage],
  },
  '/actions': { see: ['read_settings', actionsPage] },
  '/actions/:id/confirm': { save: ['administer', confirmProposal, actionsPage] },
  '/actions/:id/withdraw': { act: ['administer', withdrawProposal] },
  '/audit': { see: ['read_settings', auditPage] },
  '/audit/export': { show: ['read_settings', sendAudit] },
  '/erasures': { see: ['read_settings', erasuresPage] },
  '/audit/reads': { see: ['read_settings', readsPage] },
}

/** Returns the ID in the address. Throws `not_found` if it is not a UUID. */
function idIn({ params }: Request, name: 'id' | 'template' | 'url'): string {
  const id = params[name]
  if (id !== undefined && !isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return String(id ?? '')
}

const askOf = (request: ConsoleRequest): Ask => ({
  ...formAskOf(request, byOf(request.visit, request.req)),
  id: idIn(request.req, 'id'),
  templateId: idIn(request.req, 'template'),
  urlId: idIn(request.req, 'url'),
})

function sendReply({ visit, res, again }: Ask, reply: Reply): void {
  if (reply === null) sendMessage(res, 403, visit.frame, 'stale')
  else if (typeof reply === 'string') res.redirect(303, reply)
  else sendPage(res, again.status, <Settings visit={visit} again={again} {...reply} />)
}

type PageHandler = (request: ConsoleRequest) => Promise<void>

const reply =
  (handler: Handler): PageHandler =>
  async (request) => {
    const ask = askOf(request)
    sendReply(ask, await handler(ask))
  }

const replyToForm =
  (save: Handler, showAgain: Handler): PageHandler =>
  async (request) => {
    const ask = askOf(request)
    const again = await runForm(ask.frame, ask.req, async () => sendReply(ask, await save(ask)))
    if (again) sendReply({ ...ask, again }, await showAgain({ ...ask, again }))
  }

export function settingsRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const sessions = Object.fromEntries(
    PERMISSIONS.map((permission) => [permission, consoleSession(deps, readForm, permission)]),
  ) as Record<SettingsPermission, ReturnType<typeof consoleSession>>
  for (const [path, { see, save, act, show, upload }] of Object.entries(PAGES)) {
    if (show) sessions[show[0]].get(path, (request) => show[1](askOf(request)))
    if (see) sessions[see[0]].get(path, reply(see[1]))
    if (save) sessions[save[0]].press(path, replyToForm(save[1], save[2]))
    if (act) sessions[act[0]].press(path, reply(act[1]))
    if (upload) sessions[upload[0]].upload(path, replyToForm(upload[1], upload[2]))
  }
  sessions.read_settings.get('/colors.css', ({ req, res }) => sendColors(req, res))
  sessions.read_settings.get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })
  const all = createRouter()
  all.use(...Object.values(sessions).map(({ router }) => router))
  return all
}
