/** Identifications of a vault: reading, editing, closing, blocking (specification, "Identifications"). */
import { v7 as newId } from 'uuid'
import type { z } from 'zod'
import { idParams, listAnswer } from '../../contracts/common.ts'
import {
  blockBody,
  closeBody,
  editProfileBody,
  identificationAnswer,
  identificationListAnswer,
  listIdentificationsQuery,
  vaultScopedParams,
} from '../../contracts/identification.ts'
import { listIdentifications } from '../../db/cases/identification.ts'
import { findKybOfIdentification } from '../../db/cases/kyb-application.ts'
import type { EntityRef } from '../../domain/entity.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { IdentificationCommand } from '../../domain/identification/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { type Caller, vaultFor } from '../../use-cases/access/caller.ts'
import { type Asking, runCommand } from '../../use-cases/cases/command.ts'
import { ofClient } from '../../use-cases/cases/entity-ref.ts'
import { waitUntil } from '../../use-cases/cases/wait-until.ts'
import { answerIdentification, presentIdentification } from '../presenters/identification-answer.ts'
import { type Route, route } from '../route.ts'

export const identificationRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/identifications',
    role: 'api_read',
    summary: 'List identifications, newest first',
    response: { 200: identificationListAnswer },
    query: listIdentificationsQuery,
    handler: async ({ deps: { db }, caller, query }) => {
      const externalUuid = query['filter[external_uuid]']
      const vaultId = vaultFor(caller, 'api_read', query.vault_id)
      const { identifications, totalCount } = await listIdentifications(db, vaultId, query, externalUuid)
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
    handler: async ({ deps, caller, params: { id } }) =>
      answerIdentification(deps, await ofClient(deps.db, caller, 'api_read', 'identification', id)),
  }),
  route({
    method: 'put',
    path: '/identifications/:id',
    role: 'api_write',
    summary: 'Edit the profile of an identification',
    lost: 'command',
    errors: ['identification_closed', 'already_verified', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: editProfileBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await toChange(deps, caller, id)
      const command = { kind: 'edit_profile', changes: body as Profile } as const
      return answerTo(deps, { actor: caller.actor, effect }, target, command)
    },
  }),
  route({
    method: 'put',
    path: '/identifications/:id/close',
    role: 'api_write',
    summary: 'Close an identification; this cannot be undone',
    lost: 'command',
    errors: ['cannot_close', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: closeBody,
    handler: async ({ deps, caller, params: { id }, effect }) =>
      close(deps, { actor: caller.actor, effect }, await toChange(deps, caller, id)),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/block',
    role: 'api_write',
    summary: 'Block the services of an identification’s accounts',
    lost: 'command',
    errors: ['cannot_block', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: blockBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) =>
      answerTo(deps, { actor: caller.actor, effect }, await toChange(deps, caller, id), blockWith(body)),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/unblock',
    role: 'api_write',
    summary: 'Lift the client’s own block',
    lost: 'command',
    errors: ['cannot_unblock', 'blocked_by_internal_case', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    handler: async ({ deps, caller, params: { id }, effect }) =>
      answerTo(deps, { actor: caller.actor, effect }, await toChange(deps, caller, id), { kind: 'unblock' }),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/block',
    role: 'api_write',
    summary: 'Block, in the vault that the path names',
    lost: 'command',
    errors: ['cannot_block', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: vaultScopedParams,
    body: blockBody,
    handler: ({ deps, caller, params: { vault_id, id }, body, effect }) =>
      answerTo(deps, { actor: caller.actor, effect }, inVault(caller, vault_id, id), blockWith(body)),
  }),
  route({
    method: 'post',
    path: '/vaults/:vault_id/identifications/:id/unblock',
    role: 'api_write',
    summary: 'Unblock, in the vault that the path names',
    lost: 'command',
    errors: ['cannot_unblock', 'blocked_by_internal_case', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: vaultScopedParams,
    handler: ({ deps, caller, params: { vault_id, id }, effect }) =>
      answerTo(deps, { actor: caller.actor, effect }, inVault(caller, vault_id, id), { kind: 'unblock' }),
  }),
]

type Target = EntityRef<'identification'>

const toChange = ({ db }: RouteDeps, caller: Caller, id: string): Promise<Target> =>
  ofClient(db, caller, 'api_write', 'identification', id)

const inVault = (caller: Caller, vaultId: string, id: string): Target => ({
  entity: 'identification',
  id,
  vaultId: vaultFor(caller, 'api_write', vaultId),
})

const blockWith = (body: z.output<typeof blockBody>): IdentificationCommand => ({
  kind: 'block',
  holdId: newId(),
  ...body,
})

async function answerTo(deps: RouteDeps, asking: Asking, target: Target, command: IdentificationCommand) {
  await runCommand(deps, asking, target, command)
  return answerIdentification(deps, target, asking.effect)
}

/** Closing a company abandons its application: whoever closed it sees that done where it can be. */
async function close(deps: RouteDeps, asking: Asking, target: Target) {
  const since = performance.now()
  const answer = await answerTo(deps, asking, target, { kind: 'close' })
  if (answer.body.data.status === 'closed') {
    const application = () => findKybOfIdentification(deps.db, target.vaultId, target.id)
    await waitUntil(async () => (await application())?.status !== 'open', since)
  }
  return answer
}
