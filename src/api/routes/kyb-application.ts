/** Routes for KYB applications (specification, "KYB applications"). */
import { findProblems } from '../../contracts/check.ts'
import { listResponse, ofVaultQuery, periodOf } from '../../contracts/common.ts'
import { readFinding } from '../../contracts/decision.ts'
import {
  createKybBody,
  kybAuthenticatedResponse,
  kybCreatedResponse,
  kybExistsResponse,
  kybListResponse,
  kybRepliedResponse,
  kybResponse,
  kybUpdatedResponse,
  linkResponse,
  listKybQuery,
  patchKybBody,
  renewFormBody,
  replyBody,
  validatePasswordBody,
} from '../../contracts/kyb-application.ts'
import { additionalOf, hasAdditional } from '../../contracts/kyb-sections.ts'
import { reviewProgressFilter } from '../../contracts/review-progress.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { KybPatch } from '../../domain/kyb/edit.ts'
import { nameProblemsByPerson } from '../../domain/kyb/problem-paths.ts'
import { ipOf } from '../../http/address.ts'
import { READ_AND_WRITE, visibilityFor } from '../../use-cases/access/caller.ts'
import { findTargetForClient } from '../../use-cases/case/entity-ref.ts'
import { type CreatedKyb, createKyb } from '../../use-cases/creation/application.ts'
import type { NewLink } from '../../use-cases/creation/verification-process.ts'
import {
  type FormWithContent,
  getFormForClient,
  getFormOfVault,
  getKybForClient,
  kybExists,
  listKyb,
  nameKybProblemsByPerson,
  patchKyb,
  renewFormLink,
  replyToCorrection,
  requireEditable,
} from '../../use-cases/kyb/application.ts'
import { tryKybPassword } from '../../use-cases/kyb/password.ts'
import {
  presentChangedKyb,
  presentKybResponse,
  presentKybTo,
  presentRequirements,
} from '../presenters/kyb-application.ts'
import { presentLink } from '../presenters/link.ts'
import { presentEach } from '../routing/response.ts'
import { type Route, route } from '../routing/route.ts'

/** Returns the request with its additional values as the form defines them. Throws RequestRefused with all problems. */
async function checked(patch: object, find: () => Promise<FormWithContent>): Promise<KybPatch> {
  if (!hasAdditional(patch as KybPatch)) return patch as KybPatch
  const { form, content } = await find()
  const schema = additionalOf(form)
  const problems = nameProblemsByPerson(content, patch, findProblems(schema, patch))
  if (problems.length > 0) throw new RequestRefused(...problems)
  return schema.parse(patch) as KybPatch
}

export const kybApplicationRoutes: readonly Route[] = [
  route({
    name: 'listKybApplications',
    at: 'GET /kyb',
    role: 'api_read',
    summary: 'List or find applications, newest first',
    response: { 200: kybListResponse },
    query: listKybQuery,
    handler: async ({ deps, caller, query }) => {
      const { vault_id: vaultId, external_id: externalId, status } = query
      const filter = { vaultId, externalId, status, ...reviewProgressFilter(query), ...periodOf(query) }
      const { rest, ...listed } = await listKyb(deps, caller, filter, query)
      const present = presentKybTo(deps.config.PUBLIC_URL, caller)
      return { body: listResponse(listed, query, present), rest: rest && presentEach(rest, present) }
    },
  }),
  route({
    name: 'createKybApplication',
    at: 'POST /kyb',
    role: 'api_write',
    summary: 'Create an application with its company’s identification and account',
    retryGuidance: 'external_id',
    errors: createKyb.refuses,
    response: { 201: kybCreatedResponse },
    query: ofVaultQuery,
    body: createKybBody,
    handler: async ({ deps, caller, query, body, effect }) => {
      const { external_id: externalId, client_kyc: clientKyc, internal, ...given } = body
      const sections = await checked(given, () => getFormOfVault(deps, caller, query.vault_id))
      const asked = { externalId, clientKyc, internal, sections }
      return effect.answering(
        ({ application, password }: CreatedKyb) => ({
          status: 201 as const,
          body: {
            data: presentChangedKyb(deps.config.PUBLIC_URL, caller)(application),
            generated_password: password,
          },
        }),
        (commit) => createKyb(deps, caller, query.vault_id, asked, commit),
      )
    },
  }),
  route({
    name: 'getKybApplication',
    at: 'GET /kyb/:id',
    role: 'api_read',
    summary: 'Read an application',
    response: { 200: kybResponse },
    handler: async ({ deps, caller, params: { id } }) =>
      presentKybResponse(deps.config.PUBLIC_URL, caller, await getKybForClient(deps, caller, id)),
  }),
  route({
    name: 'updateKybApplication',
    at: 'PATCH /kyb/:id',
    role: 'api_write',
    summary: 'Fill in or change parts of an application',
    retryGuidance: 'command',
    errors: patchKyb.refuses,
    response: { 200: kybUpdatedResponse },
    body: patchKybBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    naming: ({ deps, caller, params: { id }, req }, problems) =>
      nameKybProblemsByPerson(deps, caller, id, req.body, problems),
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const patch = await checked(body, () => getFormForClient(deps, caller, id))
      const application = await patchKyb(deps, caller, id, patch, effect)
      const seen = visibilityFor(caller, application.vaultId).content
      const requirements = seen && { requirements: presentRequirements(application) }
      return { body: { message: 'KYB application updated', ...requirements } }
    },
  }),
  route({
    name: 'replyToCorrection',
    at: 'POST /kyb/:id/replies',
    role: 'api_write',
    summary: 'Dispute a correction, because the value is correct',
    retryGuidance: 'command',
    errors: replyToCorrection.refuses,
    response: { 200: kybRepliedResponse },
    body: replyBody,
    precondition: ({ deps, caller, params: { id } }) => requireEditable(deps, caller, id),
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      await replyToCorrection(deps, caller, id, readFinding(body), effect)
      return { body: { message: 'Reply recorded' } }
    },
  }),
  route({
    name: 'createFormLink',
    at: 'POST /kyb/:id/form_link',
    role: READ_AND_WRITE,
    summary: 'Replace the link to an application’s form',
    retryGuidance: 'replaced',
    errors: renewFormLink.refuses,
    response: { 201: linkResponse },
    body: renewFormBody,
    handler: ({ deps, caller, params: { id }, body, effect }) =>
      effect.answering(
        (link: NewLink) =>
          ({ status: 201, body: { data: presentLink(deps.config.PUBLIC_URL, link) } }) as const,
        (commit) =>
          renewFormLink(deps, caller, id, { withPassword: body.new_password, email: body.email }, commit),
      ),
  }),
  route({
    name: 'validateKybApplication',
    at: 'GET /kyb/validate/:id',
    role: 'api_read',
    summary: 'Check whether an application exists',
    response: { 200: kybExistsResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { exists: await kybExists(deps, caller, id) },
    }),
  }),
  route({
    name: 'validateKybPassword',
    at: 'POST /kyb/validate_password/:id',
    role: 'api_read',
    summary: 'Check an application’s generated password',
    retryGuidance: 'nothing',
    errors: tryKybPassword.refuses,
    response: { 200: kybAuthenticatedResponse },
    repeatable: true,
    body: validatePasswordBody,
    handler: async ({ deps, caller, params: { id }, body, req }) => {
      const { vaultId } = await findTargetForClient(deps.db, caller, 'api_read', 'kyb', id)
      return { body: { authenticate: await tryKybPassword(deps, vaultId, id, body.password, ipOf(req)) } }
    },
  }),
]
