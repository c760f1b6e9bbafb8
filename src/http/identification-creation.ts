/** The three ways in: soft KYC, import and hosted verification (specification, "Identifications"). */
import { randomUUID } from 'node:crypto'
import { createIdentifyProcess, importIdentity, softKyc } from '../contracts/identification.ts'
import { createIdentification, type IdentificationCreation } from '../db/identification-creation.ts'
import { findVault } from '../db/vault.ts'
import { startVerificationProcess } from '../db/verification-process.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { Profile } from '../domain/identification-transition.ts'
import { newToken } from '../storage/random.ts'
import { vaultFor } from './authentication.ts'
import { startCreated } from './creation.ts'
import type { AppDeps } from './deps.ts'
import { answerIdentification } from './identification-answer.ts'
import { type Answer, type Route, route } from './route.ts'

export const identificationCreationRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/identifications/soft_kyc',
    role: 'api_write',
    body: softKyc,
    handler: ({ caller, body: { kind, external_uuid, ...given } }) =>
      create(deps, {
        vaultId: vaultFor(caller, 'api_write'),
        externalUuid: external_uuid ?? randomUUID(),
        kind,
        origin: 'soft_kyc',
        profile: profileOf(given),
        state: { verification: 'initiated', waitingOn: 'provider', awaitsKyb: false },
        actor: caller.actor,
      }),
  }),
  route({
    method: 'post',
    path: '/identifications/import_identity',
    role: 'api_write',
    body: importIdentity,
    handler: async ({ caller, body: { kind, external_uuid: externalUuid, ...given } }) => {
      const vaultId = vaultFor(caller, 'api_write')
      const vault = await findVault(deps.db, vaultId)
      if (!vault?.importEnabled) throw new RequestRefused({ code: 'import_not_enabled' })
      return create(deps, {
        vaultId,
        externalUuid,
        kind,
        origin: 'import',
        profile: profileOf(given),
        state: { verification: 'approved', waitingOn: 'nobody', awaitsKyb: false },
        actor: caller.actor,
      })
    },
  }),
  route({
    method: 'post',
    path: '/identifications/create_identify_process',
    role: 'api_write',
    body: createIdentifyProcess,
    handler: async ({ caller, body }) => {
      const vaultId = vaultFor(caller, 'api_write')
      const token = newToken()
      const { created, password } = await startVerificationProcess(
        deps.db,
        {
          vaultId,
          externalUuid: body.external_uuid ?? randomUUID(),
          type: body.type,
          email: body.email,
          actor: caller.actor,
        },
        { token, redirectUrl: body.redirect_url ?? null },
      )
      if (created) {
        const { identificationId: id, kybId, webhookLogIds } = created
        const kyb = kybId === null ? [] : [{ entity: 'kyb', id: kybId, vaultId } as const]
        startCreated(deps, webhookLogIds, [...kyb, { entity: 'identification', id, vaultId }])
      }
      const url = `${deps.config.PUBLIC_URL}/verify/${token}`
      return {
        status: 201,
        body: { data: { url, ...(password !== null && { generated_password: password }) } },
      }
    },
  }),
]

async function create(deps: AppDeps, creation: IdentificationCreation): Promise<Answer> {
  const { vaultId } = creation
  const { id, webhookLogIds } = await createIdentification(deps.db, creation)
  startCreated(deps, webhookLogIds, [{ entity: 'identification', id, vaultId }])
  return answerIdentification(deps, vaultId, id, 201)
}

/** What was given, under the names by which `PUT /identifications/{id}` changes it. */
const profileOf = ({ country, ...rest }: Record<string, string | undefined>): Profile =>
  Object.fromEntries(
    Object.entries({ ...rest, address_country: country }).filter(([, value]) => value !== undefined),
  ) as Profile
