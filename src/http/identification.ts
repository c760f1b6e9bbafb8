/** Identifications of a vault: reading, editing, closing, blocking (specification, "Identifications"). */
import { v7 as newId } from 'uuid'
import type { z } from 'zod'
import { idParams, listAnswer } from '../contracts/common.ts'
import {
  blockRequest,
  editProfile,
  identificationAnswer,
  identificationList,
  listIdentifications,
  vaultScopedParams,
} from '../contracts/identification.ts'
import { listIdentifications as listRows } from '../db/identification.ts'
import { findKybOfIdentification } from '../db/kyb-application.ts'
import type { Profile } from '../domain/identification-transition.ts'
import { type Caller, vaultFor } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import type { Effect } from './idempotency.ts'
import { answerIdentification, presentIdentification } from './identification-answer.ts'
import { type IdentificationRef, runIdentificationCommand, vaultOfClients } from './identification-command.ts'
import { type Route, route } from './route.ts'
import { waitUntil } from './wait.ts'

export const identificationRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/identifications',
    role: 'api_read',
    summary: 'List identifications, newest first',
    response: { 200: identificationList },
    query: listIdentifications,
    handler: async ({ caller, query }) => {
      const externalUuid = query['filter[external_uuid]']
      const vaultId = vaultFor(caller, 'api_read')
      const { identifications, totalCount } = await listRows(deps.db, vaultId, query, externalUuid)
      return { body: listAnswer(identifications.map(presentIdentification), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/identifications/:id',
    role: 'api_read',
    summary: 'Read an identification',
    response: { 200: identificationAnswer },
    params: idParams,
    handler: async ({ caller, params: { id } }) =>
      answerIdentification(deps, await vaultOfClients(deps.db, caller, 'api_read', id), id),
  }),
  route({
    method: 'put',
    path: '/identifications/:id',
    role: 'api_write',
    summary: 'Edit the profile of an identification',
    errors: ['identification_closed', 'already_verified', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: editProfile,
    handler: async ({ caller, params: { id }, body, effect }) => {
      const vaultId = await vaultOfClients(deps.db, caller, 'api_write', id)
      const changes = body as Profile
      const command = { kind: 'edit_profile', changes } as const
      await runIdentificationCommand(deps, caller, effect, { id, vaultId }, command)
      return answerIdentification(deps, vaultId, id)
    },
  }),
  route({
    method: 'put',
    path: '/identifications/:id/close',
    role: 'api_write',
    summary: 'Close an identification',
    errors: ['cannot_close', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    handler: async ({ caller, params: { id }, effect }) =>
      close(deps, caller, effect, { id, vaultId: await vaultOfClients(deps.db, caller, 'api_write', id) }),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/block',
    role: 'api_write',
    summary: 'Block the services of an identification’s accounts',
    errors: ['cannot_block', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: blockRequest,
    handler: async ({ caller, params: { id }, body, effect }) =>
      block(
        deps,
        caller,
        effect,
        { id, vaultId: await vaultOfClients(deps.db, caller, 'api_write', id) },
        body,
      ),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/unblock',
    role: 'api_write',
    summary: 'Lift the client’s own block',
    errors: ['cannot_unblock', 'blocked_by_internal_case', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    handler: async ({ caller, params: { id }, effect }) =>
      unblock(deps, caller, effect, { id, vaultId: await vaultOfClients(deps.db, caller, 'api_write', id) }),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/block',
    role: 'api_write',
    summary: 'Block, in the vault that the path names',
    errors: ['cannot_block', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: vaultScopedParams,
    body: blockRequest,
    handler: ({ caller, params: { vault_id, id }, body, effect }) =>
      block(deps, caller, effect, { id, vaultId: vaultFor(caller, 'api_write', vault_id) }, body),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/unblock',
    role: 'api_write',
    summary: 'Unblock, in the vault that the path names',
    errors: ['cannot_unblock', 'blocked_by_internal_case', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: vaultScopedParams,
    handler: ({ caller, params: { vault_id, id }, effect }) =>
      unblock(deps, caller, effect, { id, vaultId: vaultFor(caller, 'api_write', vault_id) }),
  }),
]

/** Closing a company abandons its application: whoever closed it sees that done where it can be. */
async function close(deps: AppDeps, caller: Caller, effect: Effect, ref: IdentificationRef) {
  await runIdentificationCommand(deps, caller, effect, ref, { kind: 'close' })
  const answer = await answerIdentification(deps, ref.vaultId, ref.id)
  if (answer.body.data.status === 'closed') {
    const application = () => findKybOfIdentification(deps.db, ref.vaultId, ref.id)
    await waitUntil(async () => (await application())?.status !== 'open')
  }
  return answer
}

async function block(
  deps: AppDeps,
  caller: Caller,
  effect: Effect,
  ref: IdentificationRef,
  { reason, notes }: z.output<typeof blockRequest>,
) {
  const command = { kind: 'block', holdId: newId() } as const
  const earlier = await runIdentificationCommand(deps, caller, effect, ref, command, { reason, notes })
  return answerIdentification(deps, ref.vaultId, ref.id, earlier)
}

async function unblock(deps: AppDeps, caller: Caller, effect: Effect, ref: IdentificationRef) {
  const earlier = await runIdentificationCommand(deps, caller, effect, ref, { kind: 'unblock' })
  return answerIdentification(deps, ref.vaultId, ref.id, earlier)
}
