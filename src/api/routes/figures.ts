/** Routes for the reports about one vault or all vaults, for operators. */

import type { z } from 'zod'
import { figureQueries, figureResponses } from '../../contracts/figures.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { FIGURES, type FigureName, type Figures, USUAL_PERIOD } from '../../domain/review/figures.ts'
import { exportFigure } from '../../use-cases/review/figures.ts'
import { type Route, route } from '../routing/route.ts'

const ABOUT: Readonly<Record<FigureName, { readonly name: string; readonly summary: string }>> = {
  applications: { name: 'countApplications', summary: 'Count new cases by current state' },
  decision_times: {
    name: 'measureDecisionTimes',
    summary: 'Measure the duration of approvals and rejections',
  },
  queue_ages: {
    name: 'countQueueAges',
    summary: 'Count the cases that are awaiting review, by waiting time',
  },
  reasons: { name: 'countDecisionReasons', summary: 'Count decisions by reason' },
  deliveries: { name: 'countDeliveries', summary: 'Count webhook deliveries by current state' },
}

/** Each schema accepts only its own report. The common type lets one handler return all reports. */
const RESPONSES: Readonly<Record<FigureName, z.ZodType<{ readonly data: Figures[FigureName] }>>> =
  figureResponses

export const figureRoutes: readonly Route[] = FIGURES.map((figure) =>
  route({
    ...ABOUT[figure],
    at: `GET /figures/${figure}`,
    role: 'read_cases',
    response: { 200: RESPONSES[figure] },
    query: figureQueries[figure],
    handler: async ({ deps, caller, by, query: { vault_id: vaultId, ...asked } }) => {
      const filter = { period: USUAL_PERIOD, ...asked, scope: vaultsFor(caller, 'read_cases', vaultId) }
      return { body: { data: await exportFigure(deps, by, figure, filter) } }
    },
  }),
)
