/** Internal cases: opened on identifications and closed by operators. */
import { idParams } from '../../contracts/common.ts'
import { caseAnswer, closeCaseBody, openCaseBody } from '../../contracts/identification.ts'
import { presentCase } from '../case-answer.ts'
import { closeCase, openCase } from '../cases.ts'
import { ofAnyVault } from '../entity-ref.ts'
import { type Route, route } from '../route.ts'

export const caseRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/identifications/:id/cases',
    role: 'operator_review',
    summary: 'Open an internal case that blocks services of the identification',
    errors: ['invalid_transition', 'identification_erased'],
    response: { 201: caseAnswer },
    params: idParams,
    body: openCaseBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'identification', id)
      const opened = await openCase(deps, { actor, effect }, target, body)
      return { status: 201 as const, body: { data: presentCase(opened) } }
    },
  }),
  route({
    method: 'post',
    path: '/cases/:id/close',
    role: 'operator_review',
    summary: 'Close an internal case',
    errors: ['stale_version', 'decision_pending', 'identification_erased'],
    response: { 200: caseAnswer },
    params: idParams,
    body: closeCaseBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => ({
      body: { data: presentCase(await closeCase(deps, { actor, effect }, id, body)) },
    }),
  }),
]
