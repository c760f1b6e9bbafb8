/** Page: the queue of cases, starting with the longest wait. A script keeps the page up to date. */

import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { type QueueQuery, queueFilterOf } from '../../contracts/queue.ts'
import { hasPermission, vaultsFor } from '../../domain/access/grant.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { DetailedEntry, FoundEntry, TitledEntry } from '../../domain/review/queue.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listOperatorNames, listVaultNames, type Names } from '../../use-cases/access/names.ts'
import { readQueueDetails, readQueuePage } from '../../use-cases/review/queue.ts'
import { Banner } from '../components/banner.tsx'
import { Button, ButtonLink, IconButton } from '../components/button.tsx'
import { Tile } from '../components/card.tsx'
import { Chip, type Tone } from '../components/chip.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { textOf } from '../components/fields.tsx'
import { Flag } from '../components/flag.tsx'
import { PostForm } from '../components/form.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import type { Frame } from '../components/layout.tsx'
import { inShort } from '../components/values.tsx'
import { sendPage } from '../routing/response.tsx'
import type { TextName } from '../texts/index.ts'
import { waitText } from './age.ts'
import { rememberedQuery, rememberQuery, takeFlash } from './flash.ts'
import { PageLinks, pageOf } from './page-links.tsx'
import { AgeCell, AssigneeCell, DocumentsCell, ReasonCell, RiskCell } from './queue-cells.tsx'
import { countsOf, countTabs, Filters, hrefOf, type Tab } from './queue-filters.tsx'
import { readQueueQuery } from './queue-query.ts'
import { SearchField } from './search-field.tsx'
import { NEXT_FORM, Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'
import { momentOf, wordOf } from './words.ts'

const PER_PAGE = 50

/** Shows the queue. Without a query, uses the last filter. `refusal` states why a form was refused. */
export async function showQueue(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
  refusal?: TextName,
): Promise<void> {
  const isAsked = req.method === 'GET' && Object.keys(req.query).length > 0
  const asked = isAsked ? readQueueQuery(req.query) : rememberedQuery(req)
  const page = pageOf(req.query.page)
  const scope = vaultsFor(visit, 'read_cases')
  const filter = queueFilterOf(asked, visit)
  const [queue, tabs] = await Promise.all([
    readQueuePage(deps, visit, filter, { page, per_page: PER_PAGE }),
    countTabs(deps, visit),
  ])
  const { entries, hasMore, detailsVersion } = queue
  // The page depends only on these values and the current time, so the response can be 304 without decrypting anything.
  const seen = entries.map(({ assignedUntil: _, ...entry }) => entry)
  const version = createHash('sha256').update(
    JSON.stringify([visit.frame.language, asked, seen, hasMore, detailsVersion, tabs]),
  )
  const etag = `"${version.digest('base64url')}"`
  res.setHeader('ETag', etag)
  if (req.headers['if-none-match'] === etag) return void res.status(304).end()
  const notice = refusal ?? takeFlash(req, res)
  const { rows, assignees, countries } = await readQueueDetails(deps, byOf(visit, req), queue, scope, filter)
  // Shows the operator in the address only to operators of all vaults, because the address can contain any ID.
  const named = scope === 'all' ? [asked.assigned] : []
  const actors = [...rows.map((row) => row.assignedTo), ...assignees, ...named]
  const [vaults, people] = [await listVaultNames(deps, scope), await listOperatorNames(deps, actors)]
  // Stores the filter after all reads, because a filter that fails must not be stored.
  if (isAsked) rememberQuery(deps, res, asked)
  sendPage(
    res,
    refusal === undefined ? 200 : 422,
    <Queue
      visit={visit}
      {...{ asked, page, tabs, etag, rows, countries, vaults, people, hasMore }}
      notice={notice}
    />,
  )
}

interface Shown {
  /** The names of vaults, keyed by ID. */
  readonly vaults: Names
  /** The names of operators, keyed by actor. */
  readonly people: Names
}

interface QueueProps extends Shown {
  readonly visit: ConsoleVisit
  readonly asked: QueueQuery
  readonly page: number
  readonly tabs: readonly Tab[]
  /** The countries of the waiting cases. */
  readonly countries: readonly string[]
  readonly etag: string
  readonly rows: readonly DetailedEntry[]
  readonly hasMore: boolean
  readonly notice: TextName | undefined
}

function Queue({ visit, asked, page, tabs, countries, etag, rows, hasMore, notice, ...shown }: QueueProps) {
  const { frame } = visit
  const { t } = frame
  const here = hrefOf(asked, page)
  const mayDecide = hasPermission(visit, 'decide')
  const head = (
    <div class="page-head queue-head">
      <h1>{t('console.queue')}</h1>
      <span class="quiet" id="counts">
        {t('console.queue.count', countsOf(tabs))}
      </span>
      <div class="page-head-end">
        <p class="news">
          <span role="status" id="news" />
          <ButtonLink
            kind="quiet"
            class="button-icon"
            href={here}
            aria-label={t('console.reload')}
            title={t('console.reload')}
          >
            <Icon name="refresh-cw" />
          </ButtonLink>
        </p>
        <SearchField visit={visit} />
        {mayDecide ? <Button form={NEXT_FORM}>{t('console.next')}</Button> : null}
      </div>
    </div>
  )
  return (
    <Shell visit={visit} title={t('console.queue')} head={head}>
      {notice ? <Banner role="status" title={t(notice)} /> : null}
      <Filters visit={visit} {...{ asked, tabs, countries }} {...shown} />
      <div
        id="queue"
        data-live={here}
        data-etag={etag}
        data-news={t('console.news', { count: '{count}' })}
        data-gone={t('console.gone')}
        data-moved={t('console.moved')}
        data-ended={t('console.ended')}
        data-all={t('console.pick.all')}
      >
        {rows.length === 0 ? (
          <p class="card">{t('console.empty')}</p>
        ) : (
          <>
            <DataTable
              class="queue"
              isLinked
              rows={rows}
              keyOf={({ id }) => id}
              rowProps={({ id }) => ({ 'data-id': id })}
              columns={columnsOf(frame, shown).filter(({ key }) => mayDecide || key !== 'pick')}
            />
            {mayDecide ? (
              <PostForm visit={visit} action="/console/assignments" id={PICKED_FORM} class="bulk-bar">
                <input type="hidden" name="page" value={page} />
                <span role="status" data-count={t('console.pick.count', { count: '{count}' })} hidden />
                <Button icon="user-check">{t('console.pick.take')}</Button>
                <IconButton type="reset" icon="x" label={t('console.pick.clear')} />
              </PostForm>
            ) : null}
          </>
        )}
        <PageLinks frame={frame} {...{ page, hasMore }} hrefOf={(to) => hrefOf(asked, to)} />
      </div>
    </Shell>
  )
}

const PICKED_FORM = 'picked'

function columnsOf(frame: Frame, { vaults, people }: Shown): readonly Column<DetailedEntry>[] {
  const { t } = frame
  return [
    {
      key: 'pick',
      head: t('console.pick'),
      isHidden: true,
      class: 'pick',
      cell: (entry) => (
        <input
          type="checkbox"
          name="entity"
          value={`${entry.kind}:${entry.id}`}
          form={PICKED_FORM}
          aria-label={t('console.pick.one', { title: titleOf(frame, entry) })}
        />
      ),
    },
    {
      key: 'what',
      head: t('console.column.what'),
      class: 'what',
      cell: (entry) => <NameCell frame={frame} entry={entry} country={entry.country} vaults={vaults} />,
    },
    {
      key: 'reason',
      head: t('console.column.reason'),
      class: 'status',
      cell: (entry) => <ReasonCell frame={frame} entry={entry} people={people} />,
    },
    {
      key: 'risk',
      head: t('console.column.risk'),
      class: 'short',
      cell: (entry) => <RiskCell frame={frame} entry={entry} />,
    },
    {
      key: 'documents',
      head: t('console.column.documents'),
      class: 'short',
      cell: (entry) => <DocumentsCell frame={frame} entry={entry} />,
    },
    {
      key: 'age',
      head: t('console.column.age'),
      class: 'age',
      cell: (entry) => <AgeCell frame={frame} entry={entry} />,
    },
    {
      key: 'who',
      head: t('console.column.who'),
      class: 'who',
      cell: ({ assignedTo }) => (
        <AssigneeCell frame={frame} name={assignedTo && (people.get(assignedTo) ?? assignedTo)} />
      ),
    },
  ]
}

interface EntriesProps extends Shown {
  readonly frame: Frame
  readonly entries: readonly FoundEntry[]
}

const KIND_ICONS = { kyb: 'building-2', identification: 'user' } as const satisfies Record<Entity, IconName>

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  attention: 'warning',
  approved: 'success',
  rejected: 'danger',
  blocked: 'danger',
}

/** Lists cases of any status, such as the results of a search. */
export const Entries = ({ frame, entries, vaults, people }: EntriesProps) => (
  <DataTable
    class="queue"
    isLinked
    rows={entries}
    keyOf={({ id }) => id}
    rowProps={({ id }) => ({ 'data-id': id })}
    columns={[
      {
        key: 'what',
        head: frame.t('console.column.what'),
        class: 'what',
        cell: (entry) => (
          <NameCell frame={frame} entry={entry} icon={KIND_ICONS[entry.kind]} vaults={vaults} />
        ),
      },
      {
        key: 'status',
        head: frame.t('console.column.status'),
        class: 'status',
        cell: ({ status }) => (
          <Chip tone={STATUS_TONES[status]}>{wordOf(frame, 'console.status', status)}</Chip>
        ),
      },
      {
        key: 'waiting',
        head: frame.t('console.waitsFor'),
        cell: ({ waitingOn, waitingSince }) =>
          waitingOn === 'nobody' ? null : waitText(frame, waitingOn, waitingSince),
      },
      {
        key: 'created',
        head: frame.t('settings.created_at'),
        class: 'short',
        cell: ({ createdAt }) => <span class="quiet">{momentOf(frame, createdAt)}</span>,
      },
      {
        key: 'who',
        head: frame.t('console.column.who'),
        class: 'who',
        cell: ({ assignedTo }) => (
          <AssigneeCell frame={frame} name={assignedTo && (people.get(assignedTo) ?? assignedTo)} />
        ),
      },
    ]}
  />
)

interface NameCellProps extends Pick<Shown, 'vaults'> {
  readonly frame: Frame
  readonly entry: FoundEntry
  readonly country?: string | null
  readonly icon?: IconName
}

/** Shows the name as a link that covers the whole row. */
const NameCell = ({ frame, entry, country, icon, vaults }: NameCellProps) => (
  <span class="name-cell">
    {icon ? <Tile icon={icon} tone="neutral" /> : null}
    {country ? <Flag country={country} label={textOf(frame, 'country', country)} /> : null}
    <span class="row-text">
      <a class="row-link" href={consolePath(entry.kind, entry.id)}>
        {titleOf(frame, entry)}
      </a>
      <span class="row-note">
        {frame.t(`console.one.${entry.kind}`)} · {vaults.get(entry.vaultId) ?? entry.vaultId}
        {entry.matched === undefined
          ? null
          : ` · ${frame.t('console.search.matched', { name: inShort(entry.matched) })}`}
      </span>
    </span>
  </span>
)

/** Returns the title. If there is no name yet, returns the end of the ID instead. */
const titleOf = ({ t }: Frame, { title, id }: TitledEntry): string =>
  title ?? t('console.nameless', { id: id.slice(-6) })
