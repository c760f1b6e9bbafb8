/** Page: the queue of cases, starting with the longest wait. A script keeps the page up to date. */
import { createHash } from 'node:crypto'
import { type QueueQuery, queueFilterOf } from '../../../contracts/queue.ts'
import { hasPermission, vaultsFor } from '../../../domain/access/grant.ts'
import type { DetailedEntry } from '../../../domain/review/queue.ts'
import { byOf } from '../../../http/address.ts'
import { listOperatorNames, listVaultNames } from '../../../use-cases/access/names.ts'
import { readQueueDetails, readQueuePage } from '../../../use-cases/review/queue.ts'
import { Banner } from '../../components/banner.tsx'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { TextName } from '../../texts/index.ts'
import { rememberedQuery, rememberQuery } from '../base/flash.ts'
import { PageLinks, pageOf } from '../base/page-links.tsx'
import { readQueueQuery } from '../base/queue-query.ts'
import { SearchField } from '../base/search-field.tsx'
import { NEXT_FORM, Shell } from '../base/shell.tsx'
import type { ConsoleRequest, ConsoleVisit } from '../base/visit.ts'
import { EntryTable, PICKED_FORM, QUEUE_COLUMNS, type Shown } from './entry-table.tsx'
import { countsOf, countTabs, Filters, hrefOf, type Tab } from './queue-filters.tsx'

const PER_PAGE = 50

/** Shows the queue. Without a query, uses the last filter. `refusal` states why a form was refused. */
export async function showQueue({ deps, visit, req, res }: ConsoleRequest, refusal?: TextName) {
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
    JSON.stringify([visit.frame.language, visit.notice, asked, seen, hasMore, detailsVersion, tabs]),
  )
  const etag = `"${version.digest('base64url')}"`
  res.setHeader('ETag', etag)
  if (req.headers['if-none-match'] === etag) return void res.status(304).end()
  const { rows, assignees, countries } = await readQueueDetails(deps, byOf(visit, req), queue, scope, filter)
  // Shows the operator in the address only to operators of all vaults, because the address can contain any ID.
  const named = scope === 'all' ? [asked.assigned] : []
  const actors = [...rows.flatMap((row) => [row.assignedTo, row.pending?.by]), ...assignees, ...named]
  const [vaults, people] = [await listVaultNames(deps, scope), await listOperatorNames(deps, actors)]
  // Stores the filter after all reads, because a filter that fails must not be stored.
  if (isAsked) rememberQuery(deps, res, asked)
  sendPage(
    res,
    refusal === undefined ? 200 : 422,
    <Queue
      visit={visit}
      {...{ asked, page, tabs, etag, rows, countries, vaults, people, hasMore, refusal }}
    />,
  )
}

interface QueueProps extends Shown {
  readonly visit: ConsoleVisit
  readonly asked: QueueQuery
  readonly page: number
  readonly tabs: readonly Tab[]
  readonly countries: readonly string[]
  readonly etag: string
  readonly rows: readonly DetailedEntry[]
  readonly hasMore: boolean
  /** The reason why a form was refused. */
  readonly refusal: TextName | undefined
}

function Queue({ visit, asked, page, tabs, countries, etag, rows, hasMore, refusal, ...shown }: QueueProps) {
  const { frame } = visit
  const { t } = frame
  const here = hrefOf(asked, page)
  const mayDecide = hasPermission(visit, 'decide')
  return (
    <Shell
      visit={visit}
      title={t('console.queue')}
      count={t('console.queue.count', countsOf(tabs))}
      tools={
        <>
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
        </>
      }
    >
      {refusal ? <Banner role="status" title={t(refusal)} /> : null}
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
          <EmptyState
            icon="inbox"
            text={t(countsOf(tabs).waiting === '0' ? 'console.empty' : 'console.cases.none')}
          >
            <ButtonLink kind="secondary" href="/console/cases">
              {t('console.cases.all')}
            </ButtonLink>
          </EmptyState>
        ) : (
          <>
            <EntryTable
              frame={frame}
              columns={mayDecide ? ['pick', ...QUEUE_COLUMNS] : QUEUE_COLUMNS}
              entries={rows}
              {...shown}
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
