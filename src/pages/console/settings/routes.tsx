/** Routes for the settings, below `/console/settings`. */
import type { Request, RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { RequestRefused } from '../../../domain/base/errors.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { createRouter } from '../../../http/router.ts'
import { consoleSession } from '../visit.ts'
import { confirmFromForm, showActions, withdrawFromForm } from './actions.tsx'
import { askToRevoke, createKeyFromForm, revokeFromForm, showKeys } from './api-keys.tsx'
import { showAudit } from './audit.tsx'
import { brandFromForm, sendColors, showBranding } from './branding.tsx'
import {
  askToRemoveTemplate,
  removeTemplate,
  saveTemplate,
  showTemplate,
  showTemplates,
  templateIdOf,
} from './comment-templates.tsx'
import { changeGroupFromForm, showGroup, showGroups } from './groups.tsx'
import { showReads } from './reads.tsx'
import { BASE } from './shell.tsx'
import { showSingleSignOn } from './single-sign-on.tsx'
import { askUserAction, changeUserFromForm, doUserAction, showUser, USER_ACTIONS } from './user.tsx'
import { createUserFromForm, showNewUser, showUsers } from './users.tsx'
import { changeFromForm, showVault } from './vault.tsx'
import { createFromForm, showNewVault, showVaults } from './vaults.tsx'
import { showWebhooks, testFromForm } from './webhooks.tsx'

/** Returns the ID in the address. Throws `not_found` if it is not a UUID. */
function idOf({ params }: Request): string {
  const id = String(params.id)
  if (!isUuid(id)) throw new RequestRefused({ code: 'not_found' })
  return id
}

export function settingsRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const { router, get } = consoleSession(deps, readForm, 'read_settings')
  const { router: administering, press, upload, get: getForm } = consoleSession(deps, readForm, 'administer')
  const { router: reading, get: getOfDeployment } = consoleSession(deps, readForm, 'read_deployment')
  const deployment = consoleSession(deps, readForm, 'administer_deployment')
  get('/', (_visit, _req, res) => res.redirect(303, `${BASE}/vaults`))

  get('/vaults', (visit, req, res, deps) => showVaults(deps, visit, req, res))
  deployment.get('/vaults/new', (visit, _req, res) => showNewVault(visit, res))
  deployment.press('/vaults/new', (visit, req, res, deps) => createFromForm(deps, visit, req, res))
  get('/vaults/:id', (visit, req, res, deps) => showVault(deps, visit, idOf(req), res))
  press('/vaults/:id', (visit, req, res, deps) => changeFromForm(deps, visit, idOf(req), req, res))
  get('/vaults/:id/webhooks', (visit, req, res, deps) => showWebhooks(deps, visit, idOf(req), res))
  press('/vaults/:id/webhook_tests', (visit, req, res, deps) =>
    testFromForm(deps, visit, idOf(req), req, res),
  )
  get('/vaults/:id/pages', (visit, req, res, deps) => showBranding(deps, visit, idOf(req), res))
  upload('/vaults/:id/pages', (visit, req, res, deps) => brandFromForm(deps, visit, idOf(req), req, res))
  get('/vaults/:id/preview', (_visit, req, res) =>
    res.redirect(303, `${BASE}/vaults/${idOf(req)}/pages#preview-title`),
  )
  get('/colors.css', (_visit, req, res) => sendColors(req, res))
  get('/vaults/:id/api_keys', (visit, req, res, deps) => showKeys(deps, visit, idOf(req), res))
  press('/vaults/:id/api_keys', (visit, req, res, deps) =>
    createKeyFromForm(deps, visit, idOf(req), req, res),
  )
  const templates = '/vaults/:id/comment_templates'
  get(templates, (visit, req, res, deps) => showTemplates({ deps, visit, vaultId: idOf(req), res }))
  getForm(`${templates}/new`, (visit, req, res, deps) =>
    showTemplate({ deps, visit, vaultId: idOf(req), res }, null),
  )
  press(`${templates}/new`, (visit, req, res, deps) =>
    saveTemplate({ deps, visit, vaultId: idOf(req), res }, null, req),
  )
  get(`${templates}/:template`, (visit, req, res, deps) =>
    showTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req)),
  )
  press(`${templates}/:template`, (visit, req, res, deps) =>
    saveTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req), req),
  )
  getForm(`${templates}/:template/remove`, (visit, req, res, deps) =>
    askToRemoveTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req)),
  )
  press(`${templates}/:template/remove`, (visit, req, res, deps) =>
    removeTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req), req),
  )
  getForm('/api_keys/:id/revoke', (visit, req, res, deps) => askToRevoke(deps, visit, idOf(req), res))
  press('/api_keys/:id/revoke', (visit, req, res, deps) => revokeFromForm(deps, visit, idOf(req), req, res))

  getOfDeployment('/users', (visit, req, res, deps) => showUsers(deps, visit, req, res))
  deployment.get('/users/new', (visit, _req, res, deps) => showNewUser(deps, visit, res))
  deployment.press('/users/new', (visit, req, res, deps) => createUserFromForm(deps, visit, req, res))
  getOfDeployment('/users/:id', (visit, req, res, deps) => showUser(deps, visit, idOf(req), res))
  deployment.press('/users/:id', (visit, req, res, deps) =>
    changeUserFromForm(deps, visit, idOf(req), req, res),
  )
  for (const action of USER_ACTIONS) {
    deployment.get(`/users/:id/${action}`, (visit, req, res, deps) =>
      askUserAction(deps, visit, idOf(req), action, res),
    )
    deployment.press(`/users/:id/${action}`, (visit, req, res, deps) =>
      doUserAction(deps, visit, idOf(req), action, req, res),
    )
  }

  getOfDeployment('/single_sign_on', (visit, _req, res, deps) => showSingleSignOn(deps, visit, res))
  getOfDeployment('/groups', (visit, _req, res, deps) => showGroups(deps, visit, res))
  deployment.get('/groups/new', (visit, _req, res, deps) => showGroup(deps, visit, null, res))
  getOfDeployment('/groups/group', (visit, req, res, deps) =>
    showGroup(deps, visit, String(req.query.name ?? ''), res),
  )
  deployment.press('/groups/group', (visit, req, res, deps) => changeGroupFromForm(deps, visit, req, res))

  get('/actions', (visit, req, res, deps) => showActions(deps, visit, req, res))
  press('/actions/:id/confirm', (visit, req, res, deps) => confirmFromForm(deps, visit, idOf(req), req, res))
  press('/actions/:id/withdraw', (visit, req, res, deps) =>
    withdrawFromForm(deps, visit, idOf(req), req, res),
  )

  get('/audit/reads', (visit, req, res, deps) => showReads(deps, visit, req, res))
  get('/audit', (visit, req, res, deps) => showAudit(deps, visit, req, res))
  get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })
  const all = createRouter()
  // This router must be last, because it also handles all remaining paths.
  all.use(deployment.router, reading, administering, router)
  return all
}
