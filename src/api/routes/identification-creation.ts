/**
 * Routes for creating identifications by soft KYC, import or hosted verification (specification, "Identifications").
 */
import { ofVaultQuery } from '../../contracts/common.ts'
import {
  createIdentifyProcessBody,
  identificationChangedResponse,
  importIdentityBody,
  processResponse,
  softKycBody,
} from '../../contracts/identification.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { verifiedOf } from '../../domain/identification/verified.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { createIdentification } from '../../use-cases/creation/identification.ts'
import { type StartedVerification, startVerification } from '../../use-cases/creation/verification-process.ts'
import { presentChangedResponse } from '../presenters/identification.ts'
import { presentLink } from '../presenters/link.ts'
import { type Route, route } from '../routing/route.ts'

export const identificationCreationRoutes = ({
  ENVIRONMENT,
}: {
  readonly ENVIRONMENT: 'sandbox' | 'production'
}): readonly Route[] => [
  route({
    name: 'createSoftKyc',
    at: 'POST /identifications/soft_kyc',
    role: 'api_write',
    summary: 'Submit the details of a person or company for review',
    retryGuidance: 'external_uuid',
    errors: createIdentification.refuses.soft_kyc,
    response: { 201: identificationChangedResponse },
    query: ofVaultQuery,
    body: softKycBody,
    handler: ({ deps, caller, query, body: { kind, external_uuid: externalUuid, ...given }, effect }) => {
      const details = { kind, externalUuid, profile: profileOf(given) }
      return effect.answering(presentCreatedTo(caller), (commit) =>
        createIdentification(deps, caller, 'soft_kyc', query.vault_id, details, commit),
      )
    },
  }),
  route({
    name: 'importIdentity',
    at: 'POST /identifications/import_identity',
    role: 'api_write',
    summary: 'Import an identity that was verified elsewhere',
    retryGuidance: 'external_uuid',
    errors: createIdentification.refuses.import,
    response: { 201: identificationChangedResponse },
    query: ofVaultQuery,
    body: importIdentityBody,
    handler: ({ deps, caller, query, body: { kind, external_uuid: externalUuid, ...given }, effect }) => {
      const details = { kind, externalUuid, profile: profileOf(given) }
      return effect.answering(presentCreatedTo(caller), (commit) =>
        createIdentification(deps, caller, 'import', query.vault_id, details, commit),
      )
    },
  }),
  route({
    name: 'createIdentifyProcess',
    at: 'POST /identifications/create_identify_process',
    role: 'api_write',
    summary: 'Start a hosted verification, or renew its link',
    retryGuidance: 'process',
    errors: startVerification.refuses,
    response: { 201: processResponse },
    query: ofVaultQuery,
    body: createIdentifyProcessBody({ isSandbox: ENVIRONMENT === 'sandbox' }),
    handler: ({ deps, caller, query, body, effect }) => {
      const { external_uuid: externalUuid, type, redirect_url: redirectUrl = null, ...entered } = body
      const asked = { externalUuid, type, redirectUrl, entered }
      return effect.answering(
        ({ identificationId, ...link }: StartedVerification) => {
          const data = { ...presentLink(deps.config.PUBLIC_URL, link), identification_id: identificationId }
          return { status: 201, body: { data } } as const
        },
        (commit) => startVerification(deps, caller, query.vault_id, asked, commit),
      )
    },
  }),
]

const presentCreatedTo = (caller: Caller) => (identification: Identification) =>
  ({
    status: 201,
    ...presentChangedResponse(caller, { identification, verified: verifiedOf(identification, []) }),
  }) as const

/** Converts the body to the field names of `PUT /identifications/{id}`. */
const profileOf = ({ country, ...rest }: Record<string, string | undefined>): Profile =>
  Object.fromEntries(
    Object.entries({ ...rest, address_country: country }).filter(([, value]) => value !== undefined),
  ) as Profile
