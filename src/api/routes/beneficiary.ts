/** The links to beneficiaries' own verification, made anew for those whose time has passed or that were lost. */
import { beneficiaryLinkAnswer, beneficiaryParams } from '../../contracts/kyb-application.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { ofClient } from '../../use-cases/cases/entity-ref.ts'
import { renewalRefusal, renewBeneficiaryLink } from '../../use-cases/kyb/beneficiary-verification.ts'
import { beneficiaryLink } from '../presenters/kyb-answer.ts'
import { type Route, route } from '../route.ts'

export const beneficiaryRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/kyb/:id/beneficiaries/:external_id/link',
    role: 'api_write',
    summary: 'Make a new link to the own verification of a beneficiary',
    lost: 'replaced',
    errors: ['kyb_processed', 'kyb_abandoned'],
    response: { 201: beneficiaryLinkAnswer },
    params: beneficiaryParams,
    handler: async ({ deps, caller, params: { id, external_id: personId }, effect }) => {
      const target = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      return effect.commit(async (tx) => {
        const application = await findKybApplication(tx, target.vaultId, id)
        const link = application?.links.get(personId)
        if (!application || !link) throw new RequestRefused({ code: 'not_found' })
        const refusal = renewalRefusal(application, link)
        if (refusal) throw new RequestRefused(refusal)
        const renewed = await renewBeneficiaryLink(tx, target, personId, caller.actor)
        if (!renewed) throw new RequestRefused({ code: 'not_found' })
        const data = beneficiaryLink(deps.config.PUBLIC_URL, { ...link, ...renewed })
        return { answer: { status: 201, body: { data } } }
      })
    },
  }),
]
