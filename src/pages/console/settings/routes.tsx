/** Routes for the settings, below `/console/settings`, for operators with the role `operator_admin`. */
import type { Request, RequestHandler, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { RequestRefused } from '../../../domain/errors.ts'
import type { RouteDeps } from '../../../http/deps.ts'
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
import { BASE } from './shell.tsx'
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
  const { router, get, press, upload } = consoleSession(deps, readForm, 'operator_admin')
  get('/', (_visit, _req, res) => res.redirect(303, `${BASE}/vaults`))

  get('/vaults', (visit, req, res) => showVaults(deps, visit, req, res))
  get('/vaults/new', (visit, _req, res) => showNewVault(visit, res))
  press('/vaults/new', (visit, req, res) => createFromForm(deps, visit, req, res))
  get('/vaults/:id', (visit, req, res) => showVault(deps, visit, idOf(req), res))
  press('/vaults/:id', (visit, req, res) => changeFromForm(deps, visit, idOf(req), req, res))
  get('/vaults/:id/webhooks', (visit, req, res) => showWebhooks(deps, visit, idOf(req), res))
  press('/vaults/:id/webhook_tests', (visit, req, res) => testFromForm(deps, visit, idOf(req), req, res))
  get('/vaults/:id/pages', (visit, req, res) => showBranding(deps, visit, idOf(req), res))
  upload('/vaults/:id/pages', (visit, req, res) => brandFromForm(deps, visit, idOf(req), req, res))
  get('/vaults/:id/preview', (_visit, req, res) =>
    res.redirect(303, `${BASE}/vaults/${idOf(req)}/pages#preview-title`),
  )
  get('/colors.css', (_visit, req, res) => sendColors(req, res))
  get('/vaults/:id/api_keys', (visit, req, res) => showKeys(deps, visit, idOf(req), res))
  press('/vaults/:id/api_keys', (visit, req, res) => createKeyFromForm(deps, visit, idOf(req), req, res))
  const templates = '/vaults/:id/comment_templates'
  get(templates, (visit, req, res) => showTemplates({ deps, visit, vaultId: idOf(req), res }))
  get(`${templates}/new`, (visit, req, res) => showTemplate({ deps, visit, vaultId: idOf(req), res }, null))
  press(`${templates}/new`, (visit, req, res) =>
    saveTemplate({ deps, visit, vaultId: idOf(req), res }, null, req),
  )
  get(`${templates}/:template`, (visit, req, res) =>
    showTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req)),
  )
  press(`${templates}/:template`, (visit, req, res) =>
    saveTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req), req),
  )
  get(`${templates}/:template/remove`, (visit, req, res) =>
    askToRemoveTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req)),
  )
  press(`${templates}/:template/remove`, (visit, req, res) =>
    removeTemplate({ deps, visit, vaultId: idOf(req), res }, templateIdOf(req), req),
  )
  get('/api_keys/:id/revoke', (visit, req, res) => askToRevoke(deps, visit, idOf(req), res))
  press('/api_keys/:id/revoke', (visit, req, res) => revokeFromForm(deps, visit, idOf(req), req, res))

  get('/users', (visit, req, res) => showUsers(deps, visit, req, res))
  get('/users/new', (visit, _req, res) => showNewUser(deps, visit, res))
  press('/users/new', (visit, req, res) => createUserFromForm(deps, visit, req, res))
  get('/users/:id', (visit, req, res) => showUser(deps, visit, idOf(req), res))
  press('/users/:id', (visit, req, res) => changeUserFromForm(deps, visit, idOf(req), req, res))
  for (const action of USER_ACTIONS) {
    get(`/users/:id/${action}`, (visit, req, res) => askUserAction(deps, visit, idOf(req), action, res))
    press(`/users/:id/${action}`, (visit, req, res) => doUserAction(deps, visit, idOf(req), action, req, res))
  }

  get('/actions', (visit, req, res) => showActions(deps, visit, req, res))
  press('/actions/:id/confirm', (visit, req, res) => confirmFromForm(deps, visit, idOf(req), req, res))
  press('/actions/:id/withdraw', (visit, req, res) => withdrawFromForm(deps, visit, idOf(req), req, res))

  get('/audit', (visit, req, res) => showAudit(deps, visit, req, res))
  get('/*rest', () => {
    throw new RequestRefused({ code: 'not_found' })
  })
  return router
}
