/** Routes for the reports about one vault or all vaults, for operators. */

import { figureQueries, figureResponses } from '../../contracts/figures.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { USUAL_PERIOD } from '../../domain/review/figures.ts'
import { getFigure } from '../../use-cases/review/figures.ts'
import { type Route, route } from '../routing/route.ts'

const about = { method: 'get', role: 'read_cases' } as const

export const figureRoutes: readonly Route[] = [
  route({
    ...about,
    name: 'countApplications',
    path: '/figures/applications',
    summary: 'Count new cases by current state',
    response: { 200: figureResponses.applications },
    query: figureQueries.applications,
    handler: async ({ deps, caller, query: { vault_id: vaultId, ...query } }) => ({
      body: {
        data: await getFigure(deps, 'applications', {
          ...query,
          scope: vaultsFor(caller, 'read_cases', vaultId),
        }),
      },
    }),
  }),
  route({
    ...about,
    name: 'measureDecisionTimes',
    path: '/figures/decision_times',
    summary: 'Measure the duration of approvals and rejections',
    response: { 200: figureResponses.decision_times },
    query: figureQueries.decision_times,
    handler: async ({ deps, caller, query: { vault_id: vaultId, ...query } }) => ({
      body: {
        data: await getFigure(deps, 'decision_times', {
          ...query,
          scope: vaultsFor(caller, 'read_cases', vaultId),
        }),
      },
    }),
  }),
  route({
    ...about,
    name: 'countQueueAges',
    path: '/figures/queue_ages',
    summary: 'Count the cases that are awaiting review, by waiting time',
    response: { 200: figureResponses.queue_ages },
    query: figureQueries.queue_ages,
    handler: async ({ deps, caller, query: { vault_id: vaultId, kind } }) => ({
      body: {
        data: await getFigure(deps, 'queue_ages', {
          period: USUAL_PERIOD,
          scope: vaultsFor(caller, 'read_cases', vaultId),
          kind,
        }),
      },
    }),
  }),
  route({
    ...about,
    name: 'countDecisionReasons',
    path: '/figures/reasons',
    summary: 'Count decisions by reason',
    response: { 200: figureResponses.reasons },
    query: figureQueries.reasons,
    handler: async ({ deps, caller, query: { vault_id: vaultId, ...query } }) => ({
      body: {
        data: await getFigure(deps, 'reasons', { ...query, scope: vaultsFor(caller, 'read_cases', vaultId) }),
      },
    }),
  }),
  route({
    ...about,
    name: 'countDeliveries',
    path: '/figures/deliveries',
    summary: 'Count webhook deliveries by current state',
    response: { 200: figureResponses.deliveries },
    query: figureQueries.deliveries,
    handler: async ({ deps, caller, query: { period, vault_id: vaultId } }) => ({
      body: {
        data: await getFigure(deps, 'deliveries', {
          period,
          scope: vaultsFor(caller, 'read_cases', vaultId),
        }),
      },
    }),
  }),
]
