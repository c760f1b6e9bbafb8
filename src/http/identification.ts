/** Identifications of a vault: reading, editing, closing, blocking (specification, "Identifications"). */
import { v7 as newId } from 'uuid'
import type { z } from 'zod'
import { idParams, listAnswer } from '../contracts/common.ts'
import {
  blockRequest,
  editProfile,
  listIdentifications,
  vaultScopedParams,
} from '../contracts/identification.ts'
import { listIdentifications as listRows } from '../db/identification.ts'
import { findKybOfIdentification } from '../db/kyb-application.ts'
import type { Profile } from '../domain/identification-transition.ts'
import { type Caller, vaultFor } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import { answerIdentification, presentIdentification } from './identification-answer.ts'
import { runIdentificationCommand, vaultOfClients } from './identification-command.ts'
import { type Answer, type Route, route } from './route.ts'
import { waitUntil } from './wait.ts'

export const identificationRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/identifications',
    role: 'api_read',
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
    params: idParams,
    handler: async ({ caller, params: { id } }) =>
      answerIdentification(deps, await vaultOfClients(deps.db, caller, 'api_read', id), id),
  }),
  route({
    method: 'put',
    path: '/identifications/:id',
    role: 'api_write',
    params: idParams,
    body: editProfile,
    handler: async ({ caller, params: { id }, body }) => {
      const vaultId = await vaultOfClients(deps.db, caller, 'api_write', id)
      const changes = body as Profile
      await runIdentificationCommand(deps, caller, vaultId, id, { kind: 'edit_profile', changes })
      return answerIdentification(deps, vaultId, id)
    },
  }),
  route({
    method: 'put',
    path: '/identifications/:id/close',
    role: 'api_write',
    params: idParams,
    handler: async ({ caller, params: { id } }) =>
      close(deps, caller, await vaultOfClients(deps.db, caller, 'api_write', id), id),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/block',
    role: 'api_write',
    params: idParams,
    body: blockRequest,
    handler: async ({ caller, params: { id }, body }) =>
      block(deps, caller, await vaultOfClients(deps.db, caller, 'api_write', id), id, body),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/unblock',
    role: 'api_write',
    params: idParams,
    handler: async ({ caller, params: { id } }) =>
      unblock(deps, caller, await vaultOfClients(deps.db, caller, 'api_write', id), id),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/block',
    role: 'api_write',
    params: vaultScopedParams,
    body: blockRequest,
    handler: ({ caller, params: { vault_id, id }, body }) =>
      block(deps, caller, vaultFor(caller, 'api_write', vault_id), id, body),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/unblock',
    role: 'api_write',
    params: vaultScopedParams,
    handler: ({ caller, params: { vault_id, id } }) =>
      unblock(deps, caller, vaultFor(caller, 'api_write', vault_id), id),
  }),
]

/** Closing a company abandons its application: whoever closed it sees that done where it can be. */
async function close(deps: AppDeps, caller: Caller, vaultId: string, id: string): Promise<Answer> {
  await runIdentificationCommand(deps, caller, vaultId, id, { kind: 'close' })
  const answer = await answerIdentification(deps, vaultId, id)
  if ((answer.body as { data: { status: string } }).data.status === 'closed') {
    await waitUntil(async () => (await findKybOfIdentification(deps.db, vaultId, id))?.status !== 'open')
  }
  return answer
}

async function block(
  deps: AppDeps,
  caller: Caller,
  vaultId: string,
  id: string,
  { reason, notes }: z.output<typeof blockRequest>,
): Promise<Answer> {
  const command = { kind: 'block', holdId: newId() } as const
  await runIdentificationCommand(deps, caller, vaultId, id, command, { reason, notes })
  return answerIdentification(deps, vaultId, id)
}

async function unblock(deps: AppDeps, caller: Caller, vaultId: string, id: string): Promise<Answer> {
  await runIdentificationCommand(deps, caller, vaultId, id, { kind: 'unblock' })
  return answerIdentification(deps, vaultId, id)
}
