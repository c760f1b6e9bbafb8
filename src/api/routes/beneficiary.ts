/** Routes for replacing the link to a beneficiary's verification, for example after the link has expired. */
import { beneficiaryLinkResponse, beneficiaryParams } from '../../contracts/kyb-application.ts'
import type { BeneficiaryLink } from '../../domain/kyb/record.ts'
import { READ_AND_WRITE } from '../../use-cases/access/caller.ts'
import { renewLinkForClient } from '../../use-cases/kyb/beneficiary-verification.ts'
import { beneficiaryLink } from '../presenters/kyb-application.ts'
import { type Route, route } from '../routing/route.ts'

export const beneficiaryRoutes: readonly Route[] = [
  route({
    name: 'createBeneficiaryLink',
    at: 'POST /kyb/:id/beneficiaries/:external_id/link',
    role: READ_AND_WRITE,
    summary: 'Replace the link to a beneficiary’s verification',
    retryGuidance: 'replaced',
    errors: renewLinkForClient.refuses,
    response: { 201: beneficiaryLinkResponse },
    params: beneficiaryParams,
    handler: ({ deps, caller, params: { id, external_id: personId }, effect }) =>
      effect.answering(
        (link: BeneficiaryLink) =>
          ({ status: 201, body: { data: beneficiaryLink(deps.config.PUBLIC_URL, link) } }) as const,
        (commit) => renewLinkForClient(deps, caller, id, personId, commit),
      ),
  }),
]
