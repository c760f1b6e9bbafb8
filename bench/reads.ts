/** Lists the requests of `npm run bench:scale`: every list, with each value of each filter, and every search. */
import { REVIEW_STATES } from '../src/domain/decision/review-progress.ts'
import { RISK_LEVELS } from '../src/domain/decision/risk.ts'
import { ENTITY_KINDS } from '../src/domain/entity/entity.ts'
import { IDENTIFICATION_STATUSES } from '../src/domain/identification/identification.ts'
import { KYB_STATUSES } from '../src/domain/kyb/application.ts'
import { LOG_STATUSES } from '../src/domain/webhook/events.ts'

/** The IDs of one old case of each type. */
export interface Samples {
  readonly vaultId: string
  readonly identification: { readonly id: string; readonly external: string }
  readonly kyb: { readonly id: string; readonly external: string }
}

const each = (path: string, name: string, values: readonly string[]): string[] =>
  values.map((value) => `${path}${path.includes('?') ? '&' : '?'}${name}=${value}`)
const since = (days: number) => String(Math.floor(Date.now() / 1000 - days * 86_400))
const PARTIES = ['client', 'applicant', 'operator', 'provider']
const FEW_AND_ALL = [since(1), since(2_000)]

export const clientReads = ({ identification, kyb }: Samples): string[] => [
  ...['/kyb', '/identifications'].flatMap((list) => [
    ...[list, `${list}?page=100`],
    ...each(list, 'waiting_on', PARTIES),
    ...each(list, 'review', REVIEW_STATES),
    ...each(list, 'updated_since', FEW_AND_ALL),
  ]),
  ...each('/kyb', 'status', KYB_STATUSES),
  ...each('/identifications', 'status', IDENTIFICATION_STATUSES),
  `/kyb?external_id=${kyb.external}`,
  `/identifications?filter[external_uuid]=${identification.external}`,
  `/kyb/${kyb.id}`,
  `/identifications/${identification.id}`,
  `/identifications/${identification.id}/accounts`,
  ...each('/webhook_logs?type=account', 'status', LOG_STATUSES),
  ...each('/webhook_logs?type=identification&status=completed', 'search', ['Nobody', identification.id]),
]

const OF_CASE = ['', '/timeline', '/deliveries', '/marks']
const REPORTS = ['applications', 'decision_times', 'reasons', 'deliveries']

export const operatorReads = ({ vaultId, identification, kyb }: Samples): string[] => [
  '/queue',
  '/queue?page=50',
  ...each('/queue', 'kind', ENTITY_KINDS),
  ...each('/queue', 'waiting_on', PARTIES),
  ...each('/queue', 'status', [...KYB_STATUSES, ...IDENTIFICATION_STATUSES]),
  ...each('/queue', 'assigned', ['me', 'nobody']),
  ...each('/queue', 'country', ['DE', 'HU', 'FR']),
  ...each('/queue', 'risk', RISK_LEVELS),
  ...['hits', 'second_review', 'overdue'].flatMap((filter) => each('/queue', filter, ['true'])),
  '/queue?sort=newest',
  '/queue?waiting_longer_than=86400',
  `/queue?vault_id=${vaultId}`,
  `/queue?vault_id=${vaultId}&overdue=true`,
  '/cases',
  '/cases?status=open',
  ...each('/identifications', 'name', ['Lindner', 'Ada%20Lindner', 'Krummbiegel', 'Nobody']),
  ...each('/identifications?name=Ada', 'surname', ['Lindner']),
  '/identifications?email=zoltan.krummbiegel@example.com',
  `/identifications?external_uuid=${identification.external}`,
  ...each('/kyb', 'name', ['Lindenhof', 'Lindenhof%20Instruments%20GmbH', 'Nobody']),
  '/kyb?email=office@example.com',
  `/kyb?external_id=${kyb.external}`,
  ...OF_CASE.map((path) => `/kyb/${kyb.id}${path}`),
  ...OF_CASE.map((path) => `/identifications/${identification.id}${path}`),
  ...[
    '/users',
    '/users/same_people',
    '/audit',
    '/audit/reads',
    '/vaults',
    '/admin_actions',
    '/operator_groups',
  ],
  ...REPORTS.flatMap((name) => each(`/figures/${name}`, 'period', ['30', '365'])),
  '/figures/queue_ages',
]

export const CONSOLE_READS = ['', '?hits=true', '?overdue=true', '/cases', '/search', '/figures', '/settings']
