/** KYB applications (specification, "KYB applications"). */
import { idParams, listAnswer, ofVaultQuery, periodOf } from '../../contracts/common.ts'
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
import { findKybApplication, listKybApplications } from '../../db/cases/kyb-application.ts'
import { type KybPatch, namingPeople } from '../../domain/kyb/content.ts'
import { ipOf } from '../../http/address.ts'
import { newToken } from '../../storage/random.ts'
import { vaultFor } from '../../use-cases/access/caller.ts'
import { runCommand } from '../../use-cases/cases/command.ts'
import { ofClient } from '../../use-cases/cases/entity-ref.ts'
import { renewForm } from '../../use-cases/identification/verification-process.ts'
import { createKyb } from '../../use-cases/kyb/creation.ts'
import { refuseLocked } from '../../use-cases/kyb/lock.ts'
import { tryKybPassword } from '../../use-cases/kyb/password.ts'
import { eachOf } from '../answer.ts'
import { answerKyb, presentKyb } from '../presenters/kyb-answer.ts'
import { presentLink } from '../presenters/link-answer.ts'
import { type Route, route } from '../route.ts'

export const kybApplicationRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/kyb',
    role: 'api_read',
    summary: 'List applications, or find them, newest first',
    response: { 200: kybListAnswer },
    query: listKybQuery,
    handler: async ({ deps: { db, config }, caller, query }) => {
      const { vault_id, external_id: externalId, status } = query
      const vaultId = vaultFor(caller, 'api_read', vault_id)
      const filter = { externalId, status, ...periodOf(query) }
      const { applications, rest, totalCount } = await listKybApplications(db, vaultId, query, filter)
      const present = presentKyb(config.PUBLIC_URL)
      const body = listAnswer(applications.map(present), totalCount, query)
      return { body, rest: rest && eachOf(rest, present) }
    },
  }),
  route({
    method: 'post',
    path: '/kyb',
    role: 'api_write',
    summary: 'Create an application with its company’s identification and account',
    lost: 'external_id',
    errors: ['external_id_taken', 'unknown_file'],
    response: { 201: kybCreatedAnswer },
    query: ofVaultQuery,
    body: createKybBody,
    handler: ({ deps, caller, query, body, effect }) => {
      const { external_id: externalId, client_kyc: clientKyc, internal, ...sections } = body
      const vaultId = vaultFor(caller, 'api_write', query.vault_id)
      return deps.creating('everybody', () =>
        effect.commit(async (tx) => {
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
          return { answer: { status: 201, body }, afterwards: () => deps.notifier.notify([created.id]) }
        }),
      )
    },
  }),
  route({
    method: 'get',
    path: '/kyb/:id',
    role: 'api_read',
    summary: 'Read an application',
    response: { 200: kybAnswer },
    params: idParams,
    handler: async ({ deps, caller, params: { id } }) =>
      answerKyb(deps, await ofClient(deps.db, caller, 'api_read', 'kyb', id)),
  }),
  route({
    method: 'patch',
    path: '/kyb/:id',
    role: 'api_write',
    summary: 'Fill in or change parts of an application',
    lost: 'command',
    errors: ['kyb_processed', 'kyb_abandoned', 'unknown_file'],
    response: { 200: kybUpdatedAnswer },
    params: idParams,
    body: patchKybBody,
    precondition: refuseLocked,
    naming: async ({ deps, caller, params: { id }, req }, problems) => {
      const { vaultId } = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      const application = await findKybApplication(deps.db, vaultId, id)
      return application ? namingPeople(application.content, req.body, problems) : problems
    },
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
    lost: 'replaced',
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
    lost: 'nothing',
    errors: ['too_many_attempts'],
    response: { 200: kybAuthenticatedAnswer },
    repeatable: true,
    params: idParams,
    body: validatePasswordBody,
    handler: async ({ deps, caller, params: { id }, body, req }) => {
      const { vaultId } = await ofClient(deps.db, caller, 'api_read', 'kyb', id)
      return { body: { authenticate: await tryKybPassword(deps, vaultId, id, body.password, ipOf(req)) } }
    },
  }),
]
