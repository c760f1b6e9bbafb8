/** The three ways in: soft KYC, import and hosted verification (specification, "Identifications"). */
import { randomUUID } from 'node:crypto'
import { ofVaultQuery } from '../../contracts/common.ts'
import {
  createIdentifyProcessBody,
  identificationAnswer,
  importIdentityBody,
  processAnswer,
  softKycBody,
} from '../../contracts/identification.ts'
import { findVault } from '../../db/access/vault.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { newToken } from '../../storage/random.ts'
import { vaultFor } from '../../use-cases/access/caller.ts'
import type { RequestEffect } from '../../use-cases/idempotency.ts'
import { createIdentification, type IdentificationCreation } from '../../use-cases/identification/creation.ts'
import { startVerificationProcess } from '../../use-cases/identification/verification-process.ts'
import { answerIdentification } from '../presenters/identification-answer.ts'
import { presentLink } from '../presenters/link-answer.ts'
import { type Route, route } from '../route.ts'

export const identificationCreationRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/identifications/soft_kyc',
    role: 'api_write',
    summary: 'Submit the details of a person or company for review',
    lost: 'external_uuid',
    errors: ['external_uuid_taken'],
    response: { 201: identificationAnswer },
    query: ofVaultQuery,
    body: softKycBody,
    handler: ({ deps, caller, query, body: { kind, external_uuid, ...given }, effect }) =>
      create(deps, effect, {
        vaultId: vaultFor(caller, 'api_write', query.vault_id),
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
    summary: 'Import an identity that was verified elsewhere',
    lost: 'external_uuid',
    errors: ['import_not_enabled', 'external_uuid_taken'],
    response: { 201: identificationAnswer },
    query: ofVaultQuery,
    body: importIdentityBody,
    handler: async ({
      deps,
      caller,
      query,
      body: { kind, external_uuid: externalUuid, ...given },
      effect,
    }) => {
      const vaultId = vaultFor(caller, 'api_write', query.vault_id)
      const vault = await findVault(deps.db, vaultId)
      if (!vault?.importEnabled) throw new RequestRefused({ code: 'import_not_enabled' })
      return create(deps, effect, {
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
    summary: 'Start hosted verification, or renew its link',
    lost: 'process',
    errors: ['external_uuid_taken'],
    response: { 201: processAnswer },
    query: ofVaultQuery,
    body: createIdentifyProcessBody,
    handler: ({ deps, caller, query, body, effect }) => {
      const vaultId = vaultFor(caller, 'api_write', query.vault_id)
      const token = newToken()
      const asked = {
        vaultId,
        externalUuid: body.external_uuid ?? randomUUID(),
        type: body.type,
        email: body.email,
        actor: caller.actor,
      }
      const link = { token, redirectUrl: body.redirect_url ?? null }
      return deps.creating('everybody', () =>
        effect.commit(async (tx) => {
          const { identificationId, created, password } = await startVerificationProcess(tx, asked, link)
          const { data } = presentLink(deps.config.PUBLIC_URL, token, password)
          return {
            answer: { status: 201, body: { data: { ...data, identification_id: identificationId } } },
            afterwards: () => created && deps.notifier.notify([created]),
          }
        }),
      )
    },
  }),
]

function create(deps: RouteDeps, effect: RequestEffect, creation: IdentificationCreation) {
  const { vaultId } = creation
  return deps.creating('everybody', () =>
    effect.commit(async (tx) => {
      const id = await createIdentification(tx, creation)
      const { body } = await answerIdentification({ db: tx }, { id, vaultId })
      return { answer: { status: 201, body } as const, afterwards: () => deps.notifier.notify([id]) }
    }),
  )
}

/** What was given, under the names by which `PUT /identifications/{id}` changes it. */
const profileOf = ({ country, ...rest }: Record<string, string | undefined>): Profile =>
  Object.fromEntries(
    Object.entries({ ...rest, address_country: country }).filter(([, value]) => value !== undefined),
  ) as Profile
