/** Routes for decisions on screening hits. */
import { decideHitBody, hitResponse } from '../../contracts/screening.ts'
import { decideAboutHit } from '../../use-cases/review/screening-hit.ts'
import { presentHit } from '../presenters/screening.ts'
import { type Route, route } from '../routing/route.ts'

export const screeningHitRoutes: readonly Route[] = [
  route({
    name: 'decideScreeningHit',
    at: 'POST /screening_hits/:id/decision',
    role: 'decide',
    summary: 'Confirm or dismiss a screening hit',
    retryGuidance: 'same',
    errors: decideAboutHit.refuses,
    response: { 200: hitResponse },
    body: decideHitBody,
    handler: async ({ deps, caller: { grants }, by, params: { id }, body, effect }) => {
      const { found_at: foundAt, decided_at: decidedAt, ...said } = body
      const hit = await decideAboutHit(deps, { grants, by, effect }, id, { ...said, foundAt, decidedAt })
      return { body: { data: presentHit(hit) } }
    },
  }),
]
