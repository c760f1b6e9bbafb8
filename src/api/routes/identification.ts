/** Routes for reading, editing, closing and blocking identifications (specification, "Identifications"). */

import type { z } from 'zod'
import { parseOrRefuse } from '../../contracts/check.ts'
import { listResponse } from '../../contracts/common.ts'
import {
  accountListResponse,
  additionalOfPerson,
  blockBody,
  closeBody,
  editProfileBody,
  identificationChangedResponse,
  identificationListResponse,
  identificationResponse,
  listAccountsQuery,
  listIdentificationsQuery,
  personUploadBody,
  personUploadFieldsOf,
  vaultScopedParams,
} from '../../contracts/identification.ts'
import { fileResponse } from '../../contracts/kyb-file.ts'
import { fileContent } from '../../contracts/response.ts'
import { reviewProgressFilter } from '../../contracts/review-progress.ts'
import { verifiedFileParams } from '../../contracts/verified.ts'
import { ADDED, addedOf, encodeValue } from '../../domain/identification/person-form.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { FileBody } from '../../http/file-response.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { readVerifiedPhoto } from '../../use-cases/case/file-reading.ts'
import {
  attachPersonUpload,
  beginPersonUpload,
  blockIdentification,
  closeIdentification,
  editProfile,
  getFormOfPerson,
  listAccounts,
  listIdentifications,
  type ProfileChanges,
  readIdentification,
  unblockIdentification,
} from '../../use-cases/identification/identification.ts'
import {
  presentChangedResponse,
  presentIdentification,
  presentIdentificationResponse,
} from '../presenters/identification.ts'
import { type Route, route } from '../routing/route.ts'
import { mayBeRepeated, receiveOnce } from './upload.ts'

/** Returns the changes with the names that fields have in a profile. Throws RequestRefused with all problems. */
async function changesOf(
  deps: RouteDeps,
  caller: Caller,
  id: string,
  { additional, ...changes }: z.output<typeof editProfileBody>,
): Promise<ProfileChanges> {
  if (additional === undefined) return changes as Profile
  const form = await getFormOfPerson(deps, caller, id)
  const added = parseOrRefuse(additionalOfPerson(form), { additional }).additional ?? {}
  const names = Object.keys(additional === null ? addedOf(form) : added)
  return {
    ...(changes as Profile),
    ...Object.fromEntries(names.map((name) => [ADDED + name, encodeValue(added[name])])),
  }
}

export const identificationRoutes: readonly Route[] = [
  route({
    name: 'listIdentifications',
    at: 'GET /identifications',
    role: 'api_read',
    summary: 'List identifications, newest first',
    response: { 200: identificationListResponse },
    query: listIdentificationsQuery,
    handler: async ({ deps, caller, query }) => {
      const { vault_id: vaultId, 'filter[external_uuid]': externalUuid, status } = query
      const filter = { vaultId, externalUuid, status, ...reviewProgressFilter(query) }
      const listed = await listIdentifications(deps, caller, filter, query)
      return { body: listResponse(listed, query, presentIdentification) }
    },
  }),
  route({
    name: 'getIdentification',
    at: 'GET /identifications/:id',
    role: 'api_read',
    summary: 'Read an identification',
    response: { 200: identificationResponse },
    handler: async ({ deps, caller, params: { id } }) => {
      return presentIdentificationResponse(await readIdentification(deps, caller, id))
    },
  }),
  route({
    name: 'readIdentificationFile',
    at: 'GET /identifications/:id/files/:file_id',
    role: 'api_read',
    summary: 'Read a photo of a verified person',
    response: { 200: fileContent },
    params: verifiedFileParams,
    handler: async ({ deps, caller, res, params: { id, file_id: fileId } }) => ({
      body: new FileBody(await readVerifiedPhoto(deps, caller, res, id, fileId)),
    }),
  }),
  route({
    name: 'listAccounts',
    at: 'GET /identifications/:id/accounts',
    role: 'api_read',
    summary: 'List an identification’s accounts, oldest first',
    response: { 200: accountListResponse },
    query: listAccountsQuery,
    handler: async ({ deps, caller, params: { id }, query }) => ({
      body: listResponse(await listAccounts(deps, caller, id, query), query, (account) => account),
    }),
  }),
  route({
    name: 'updateIdentification',
    at: 'PUT /identifications/:id',
    role: 'api_write',
    summary: 'Edit an identification’s profile',
    retryGuidance: 'command',
    errors: editProfile.refuses,
    response: { 200: identificationChangedResponse },
    body: editProfileBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) =>
      presentChangedResponse(
        caller,
        await editProfile(deps, caller, { id }, await changesOf(deps, caller, id, body), effect),
      ),
  }),
  route({
    name: 'uploadIdentificationFile',
    at: 'POST /identifications/:id/files',
    role: 'api_write',
    summary: 'Upload a document that the profile asks of people',
    retryGuidance: 'command',
    errors: attachPersonUpload.refuses,
    response: { 201: fileResponse },
    body: personUploadBody,
    form: async ({ deps, caller, params: { id }, ...received }) => {
      const mayBeLocked = mayBeRepeated(received.req)
      const { target, form } = await beginPersonUpload(deps, caller, id, { mayBeLocked })
      return receiveOnce(
        { deps, ...received },
        {
          owner: { identificationId: id },
          vaultId: target.vaultId,
          fields: personUploadFieldsOf(form),
          attach: ({ attribute }, file, effect) =>
            attachPersonUpload(deps, caller, target, attribute, file, effect),
        },
      )
    },
  }),
  route({
    name: 'closeIdentification',
    at: 'PUT /identifications/:id/close',
    role: 'api_write',
    summary: 'Close an identification permanently',
    retryGuidance: 'command',
    errors: closeIdentification.refuses,
    response: { 200: identificationChangedResponse },
    body: closeBody,
    handler: async ({ deps, caller, params: { id }, effect }) =>
      presentChangedResponse(caller, await closeIdentification(deps, caller, { id }, effect)),
  }),
  route({
    name: 'blockIdentification',
    at: 'POST /identifications/:id/block',
    role: 'api_write',
    summary: 'Block an identification and the services of its accounts',
    retryGuidance: 'command',
    errors: blockIdentification.refuses,
    response: { 200: identificationChangedResponse },
    body: blockBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) =>
      presentChangedResponse(caller, await blockIdentification(deps, caller, { id }, body, effect)),
  }),
  route({
    name: 'unblockIdentification',
    at: 'POST /identifications/:id/unblock',
    role: 'api_write',
    summary: 'Unblock an identification that you have blocked',
    retryGuidance: 'command',
    errors: unblockIdentification.refuses,
    response: { 200: identificationChangedResponse },
    handler: async ({ deps, caller, params: { id }, effect }) =>
      presentChangedResponse(caller, await unblockIdentification(deps, caller, { id }, effect)),
  }),
  route({
    name: 'blockIdentificationOfVault',
    at: 'POST /vaults/:vault_id/identifications/:id/block',
    role: 'api_write',
    summary: 'Block an identification of the vault in the path',
    retryGuidance: 'command',
    errors: blockIdentification.refuses,
    response: { 200: identificationChangedResponse },
    params: vaultScopedParams,
    body: blockBody,
    handler: async ({ deps, caller, params: { vault_id: vaultId, id }, body, effect }) =>
      presentChangedResponse(caller, await blockIdentification(deps, caller, { id, vaultId }, body, effect)),
  }),
  route({
    name: 'unblockIdentificationOfVault',
    at: 'POST /vaults/:vault_id/identifications/:id/unblock',
    role: 'api_write',
    summary: 'Unblock an identification of the vault in the path',
    retryGuidance: 'command',
    errors: unblockIdentification.refuses,
    response: { 200: identificationChangedResponse },
    params: vaultScopedParams,
    handler: async ({ deps, caller, params: { vault_id: vaultId, id }, effect }) =>
      presentChangedResponse(caller, await unblockIdentification(deps, caller, { id, vaultId }, effect)),
  }),
]
