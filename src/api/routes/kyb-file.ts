/** Routes for files of KYB applications (specification, "KYB applications"). */

import { findProblems, parseOrRefuse } from '../../contracts/check.ts'
import { idParams } from '../../contracts/common.ts'
import {
  deleteFileBody,
  fileDeletedResponse,
  fileResponse,
  kybFileParams,
  uploadFieldsOf,
  uploadFormBody,
} from '../../contracts/kyb-file.ts'
import { fileContent } from '../../contracts/response.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { FileBody } from '../../http/file-response.ts'
import { NO_FILE, receiveUpload } from '../../http/upload.ts'
import { readKybFile } from '../../use-cases/case/file-reading.ts'
import { discardUpload } from '../../use-cases/case/upload.ts'
import { requireEditable } from '../../use-cases/kyb/application.ts'
import { attachUpload, beginUpload, detachFile } from '../../use-cases/kyb/files.ts'
import { type Route, route } from '../routing/route.ts'

export const kybFileRoutes: readonly Route[] = [
  route({
    name: 'getKybFile',
    method: 'get',
    path: '/kyb/:id/files/:file_id',
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
    method: 'post',
    path: '/kyb/upload_file/:id',
    role: 'api_write',
    summary: 'Upload a PDF, JPEG or PNG of at most 10 MB to a file list',
    retryGuidance: 'command',
    errors: attachUpload.refuses,
    response: { 201: fileResponse },
    params: idParams,
    body: uploadFormBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    form: async ({ deps, caller, params: { id }, req, res, once }) => {
      // Refuses the upload before reading it if the application is locked, unless this may be a repeated request.
      const mayBeLocked = req.get('Idempotency-Key') !== undefined
      const { target, form } = await beginUpload(deps, caller, id, { mayBeLocked })
      const file = await receiveUpload(deps, { kybApplicationId: id }, target.vaultId, req, res)
      if (!file) {
        throw new RequestRefused(NO_FILE, ...findProblems(uploadFieldsOf(form), { ...req.body }))
      }
      const { name, sha256 } = file
      let attachedId: string | null = null
      try {
        const {
          attribute,
          email,
          external_id: externalId,
        } = parseOrRefuse(uploadFieldsOf(form), { ...req.body })
        // Identifies the upload by its checksum, because the boundary of a form differs each time.
        const answer = await once({ attribute, email, externalId, name, sha256 }, async (effect) => {
          const place = { attribute, email, externalId }
          const fileId = await attachUpload(deps, caller, target, place, file.id, effect)
          return { status: 201, body: { name, id: fileId } } as const
        })
        attachedId = answer.body.id
        return answer
      } finally {
        if (attachedId !== file.id) await discardUpload(deps, file.id)
      }
    },
  }),
  route({
    name: 'deleteKybFile',
    method: 'put',
    path: '/kyb/delete_file/:id',
    role: 'api_write',
    summary: 'Delete a file from a file list',
    retryGuidance: 'command',
    errors: detachFile.refuses,
    response: { 200: fileDeletedResponse },
    params: idParams,
    body: deleteFileBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const { blob_key: fileId, attribute_key: attribute } = body
      await detachFile(deps, caller, id, { fileId, attribute }, effect)
      return { body: { message: 'File deleted' } }
    },
  }),
]
