/** What waits for operators, the longest waiting first. */
import type { Request, Response } from 'express'
import { listQueue, type QueueEntry } from '../../db/queue.ts'
import { ENTITY_KINDS } from '../../domain/entity.ts'
import { IDENTIFICATION_PARTIES } from '../../domain/identification.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendPage } from '../answer.tsx'
import type { Frame } from '../layout.tsx'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'

const PER_PAGE = 50

interface Filter {
  readonly kind: (typeof ENTITY_KINDS)[number] | undefined
  readonly waitingOn: (typeof IDENTIFICATION_PARTIES)[number]
  readonly page: number
}

/** What the address says; what it says wrongly is as if it were not said. */
function filterOf({ query }: Request): Filter {
  const page = Number(query.page ?? 1)
  return {
    kind: ENTITY_KINDS.find((kind) => kind === query.kind),
    waitingOn: IDENTIFICATION_PARTIES.find((party) => party === query.waiting_on) ?? 'operator',
    page: Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1,
  }
}

export async function showQueue(deps: RouteDeps, visit: ConsoleVisit, req: Request, res: Response) {
  const filter = filterOf(req)
  const { kind, waitingOn, page } = filter
  const { entries, totalCount } = await listQueue(deps.db, { page, per_page: PER_PAGE }, { kind, waitingOn })
  sendPage(res, 200, <Queue visit={visit} filter={filter} entries={entries} totalCount={totalCount} />)
}

interface QueueProps {
  readonly visit: ConsoleVisit
  readonly filter: Filter
  readonly entries: readonly Titled[]
  readonly totalCount: number
}

type Titled = QueueEntry & { readonly title: string | null }

const PARTIES = ['operator', 'provider', 'applicant', 'client'] as const

function Queue({ visit, filter, entries, totalCount }: QueueProps) {
  const { frame } = visit
  const { t } = frame
  const pages = Math.max(1, Math.ceil(totalCount / PER_PAGE))
  return (
    <Shell visit={visit} title={t('console.queue')}>
      <nav aria-label={t('console.filters')}>
        <ul class="filters">
          {PARTIES.map((party) => (
            <li key={party}>
              <a
                href={hrefOf({ ...filter, waitingOn: party, page: 1 })}
                {...(party === filter.waitingOn && { 'aria-current': 'page' })}
              >
                {t(`console.waiting.${party}`)}
              </a>
            </li>
          ))}
        </ul>
        <ul class="filters">
          {[undefined, ...ENTITY_KINDS].map((kind) => (
            <li key={kind ?? 'all'}>
              <a
                href={hrefOf({ ...filter, kind, page: 1 })}
                {...(kind === filter.kind && { 'aria-current': 'true' })}
              >
                {t(`console.kind.${kind ?? 'all'}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p class="quiet">{t('console.count', { count: totalCount })}</p>
      {entries.length === 0 ? <p>{t('console.empty')}</p> : <Entries frame={frame} entries={entries} />}
      {pages > 1 ? <Pages frame={frame} filter={filter} pages={pages} /> : null}
    </Shell>
  )
}

export const Entries = ({ frame, entries }: { frame: Frame; entries: readonly Titled[] }) => (
  <table class="queue">
    <thead>
      <tr>
        {(['what', 'kind', 'status', 'age', 'who'] as const).map((column) => (
          <th key={column} scope="col">
            {frame.t(`console.column.${column}`)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <a href={addressOf(entry)}>{entry.title ?? entry.id}</a>
          </td>
          <td>{frame.t(`console.kind.${entry.kind}`)}</td>
          <td>{entry.status}</td>
          <td>{ageText(frame, entry.waiting_since)}</td>
          <td>{entry.assigned_to ?? ''}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

export const addressOf = ({ kind, id }: Pick<QueueEntry, 'kind' | 'id'>): string =>
  `/console/${kind === 'kyb' ? 'kyb' : 'identifications'}/${id}`

const Pages = ({ frame: { t }, filter, pages }: { frame: Frame; filter: Filter; pages: number }) => (
  <nav aria-label={t('console.pages')} class="pages">
    {filter.page > 1 ? <a href={hrefOf({ ...filter, page: filter.page - 1 })}>{t('console.newer')}</a> : null}
    <span>{t('console.page', { page: filter.page, pages })}</span>
    {filter.page < pages ? (
      <a href={hrefOf({ ...filter, page: filter.page + 1 })}>{t('console.older')}</a>
    ) : null}
  </nav>
)

function hrefOf({ kind, waitingOn, page }: Filter): string {
  const query = new URLSearchParams({ waiting_on: waitingOn })
  if (kind) query.set('kind', kind)
  if (page > 1) query.set('page', String(page))
  return `/console?${query}`
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago, in the largest unit that says more than one. */
export function ageText({ language }: Frame, since: number): string {
  const seconds = Math.max(0, Math.floor(Date.now() / 1_000) - since)
  const [unit, length] = STEPS.find(([, each]) => seconds >= each) ?? ['minute', 60]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(seconds / length),
  )
}
