/** KYB applications (specification, "KYB applications"). */
import { idParams, listAnswer } from '../../contracts/common.ts'
import {
  createKybBody,
  kybAnswer,
  kybAuthenticatedAnswer,
  kybCreatedAnswer,
  kybExistsAnswer,
  kybListAnswer,
  kybUpdatedAnswer,
  linkAnswer,
  listKybQuery,
  patchKybBody,
  renewFormBody,
  validatePasswordBody,
} from '../../contracts/kyb-application.ts'
import { findKybApplication, listKybApplications } from '../../db/kyb-application.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { KybPatch } from '../../domain/kyb-content.ts'
import { newToken } from '../../storage/random.ts'
import { runCommand } from '../../use-cases/command.ts'
import { createKyb } from '../../use-cases/kyb-creation.ts'
import { renewForm } from '../../use-cases/verification-process.ts'
import { vaultFor } from '../caller.ts'
import { ofClient } from '../entity-ref.ts'
import { presentKyb } from '../kyb-answer.ts'
import { tryKybPassword } from '../kyb-password.ts'
import { presentLink } from '../link-answer.ts'
import { type Route, route } from '../route.ts'
import { startCreated } from '../start-created.ts'

export const kybApplicationRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/kyb',
    role: 'api_read',
    summary: 'List applications, newest first',
    response: { 200: kybListAnswer },
    query: listKybQuery,
    handler: async ({ deps: { db, config }, caller, query }) => {
      const { applications, totalCount } = await listKybApplications(db, vaultFor(caller, 'api_read'), query)
      return { body: listAnswer(applications.map(presentKyb(config.PUBLIC_URL)), totalCount, query) }
    },
  }),
  route({
    method: 'post',
    path: '/kyb',
    role: 'api_write',
    summary: 'Create an application with its company’s identification and account',
    errors: ['external_id_taken', 'unknown_file'],
    response: { 201: kybCreatedAnswer },
    body: createKybBody,
    handler: ({ deps, caller, body, effect }) => {
      const { external_id: externalId, client_kyc: clientKyc, internal, ...sections } = body
      const vaultId = vaultFor(caller, 'api_write')
      return effect.commit(async (tx) => {
        const created = await createKyb(tx, {
          vaultId,
          externalId,
          clientKyc,
          internal,
          sections: sections as KybPatch,
          actor: caller.actor,
          origin: 'kyb_application',
        })
        const body = {
          data: presentKyb(deps.config.PUBLIC_URL)(created.application),
          generated_password: created.password,
        }
        const afterwards = () =>
          startCreated(deps, created.webhookLogIds, [
            { entity: 'kyb', id: created.id, vaultId },
            { entity: 'identification', id: created.identificationId, vaultId },
          ])
        return { answer: { status: 201, body }, afterwards }
      })
    },
  }),
  route({
    method: 'get',
    path: '/kyb/:id',
    role: 'api_read',
    summary: 'Read an application',
    response: { 200: kybAnswer },
    params: idParams,
    handler: async ({ deps: { db, config }, caller, params: { id } }) => {
      const { vaultId } = await ofClient(db, caller, 'api_read', 'kyb', id)
      const application = await findKybApplication(db, vaultId, id)
      if (!application) throw new RequestRefused({ code: 'not_found' })
      return { body: { data: presentKyb(config.PUBLIC_URL)(application) } }
    },
  }),
  route({
    method: 'patch',
    path: '/kyb/:id',
    role: 'api_write',
    summary: 'Fill in or change parts of an application',
    errors: ['kyb_processed', 'kyb_abandoned', 'unknown_file', 'unknown_beneficiary'],
    response: { 200: kybUpdatedAnswer },
    params: idParams,
    body: patchKybBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      const command = { kind: 'patch', patch: body as KybPatch } as const
      await runCommand(deps, { actor: caller.actor, effect }, target, command)
      return { body: { message: 'KYB application updated' } }
    },
  }),
  route({
    method: 'post',
    path: '/kyb/:id/form_link',
    role: 'api_write',
    summary: 'Make a new link to an application’s form; the earlier one ends',
    errors: ['kyb_processed', 'kyb_abandoned', 'identification_erased'],
    response: { 201: linkAnswer },
    params: idParams,
    body: renewFormBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      const token = newToken()
      const asked = { token, withPassword: body.new_password, actor: caller.actor }
      return effect.commit(async (tx) => {
        const password = await renewForm(tx, target, asked)
        return { answer: { status: 201, body: presentLink(deps.config.PUBLIC_URL, token, password) } }
      })
    },
  }),
  route({
    method: 'get',
    path: '/kyb/validate/:id',
    role: 'api_read',
    summary: 'Tell whether there is such an application',
    response: { 200: kybExistsAnswer },
    params: idParams,
    handler: async ({ deps: { db }, caller, params: { id } }) => {
      const { vaultId } = await ofClient(db, caller, 'api_read', 'kyb', id)
      return { body: { exists: (await findKybApplication(db, vaultId, id)) !== null } }
    },
  }),
  route({
    method: 'post',
    path: '/kyb/validate_password/:id',
    role: 'api_read',
    summary: 'Check the generated password of an application',
    errors: ['too_many_attempts'],
    response: { 200: kybAuthenticatedAnswer },
    repeatable: true,
    params: idParams,
    body: validatePasswordBody,
    handler: async ({ deps, caller, params: { id }, body, req }) => {
      const { vaultId } = await ofClient(deps.db, caller, 'api_read', 'kyb', id)
      return { body: { authenticate: await tryKybPassword(deps, vaultId, id, body.password, req) } }
    },
  }),
]
