/** Routes for files of KYB applications (specification, "KYB applications"). */

import {
  deleteFileBody,
  fileDeletedResponse,
  fileResponse,
  kybFileParams,
  uploadFieldsOf,
  uploadFormBody,
} from '../../contracts/kyb-file.ts'
import { fileContent } from '../../contracts/response.ts'
import { FileBody } from '../../http/file-response.ts'
import { readKybFile } from '../../use-cases/case/file-reading.ts'
import { requireEditable } from '../../use-cases/kyb/application.ts'
import { attachUpload, beginUpload, detachFile } from '../../use-cases/kyb/files.ts'
import { type Route, route } from '../routing/route.ts'
import { mayBeRepeated, receiveOnce } from './upload.ts'

export const kybFileRoutes: readonly Route[] = [
  route({
    name: 'getKybFile',
    at: 'GET /kyb/:id/files/:file_id',
    role: 'api_read',
    summary: 'Read a file of an application, as uploaded',
    response: { 200: fileContent },
    params: kybFileParams,
    handler: async ({ deps, caller, res, params: { id, file_id } }) => ({
      body: new FileBody(await readKybFile(deps, caller, res, id, file_id)),
    }),
  }),
  route({
    name: 'uploadKybFile',
    at: 'POST /kyb/upload_file/:id',
    role: 'api_write',
    summary: 'Upload a PDF, JPEG or PNG of at most 10 MB to a file list',
    retryGuidance: 'command',
    errors: attachUpload.refuses,
    response: { 201: fileResponse },
    body: uploadFormBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    form: async ({ deps, caller, params: { id }, ...received }) => {
      // Refuses the upload before reading it if the application is locked, unless this may be a repeated request.
      const mayBeLocked = mayBeRepeated(received.req)
      const { target, form } = await beginUpload(deps, caller, id, { mayBeLocked })
      return receiveOnce(
        { deps, ...received },
        {
          owner: { kybApplicationId: id },
          vaultId: target.vaultId,
          fields: uploadFieldsOf(form),
          attach: ({ attribute, email, external_id: externalId }, file, effect) =>
            attachUpload(deps, caller, target, { attribute, email, externalId }, file.id, effect),
        },
      )
    },
  }),
  route({
    name: 'deleteKybFile',
    at: 'PUT /kyb/delete_file/:id',
    role: 'api_write',
    summary: 'Delete a file from a file list',
    retryGuidance: 'command',
    errors: detachFile.refuses,
    response: { 200: fileDeletedResponse },
    body: deleteFileBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const { blob_key: fileId, attribute_key: attribute } = body
      await detachFile(deps, caller, id, { fileId, attribute }, effect)
      return { body: { message: 'File deleted' } }
    },
  }),
]
