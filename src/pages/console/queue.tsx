/** Page: the queue of cases, longest waiting first. A script keeps it up to date. */

import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { type QueueQuery, queueFilterOf } from '../../contracts/queue.ts'
import type { TitledEntry } from '../../domain/decision/queue.ts'
import { consolePath } from '../../domain/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listOperatorNames, listVaultNames, type Names } from '../../use-cases/access/names.ts'
import { readQueueDetails, readQueuePage } from '../../use-cases/cases/queue.ts'
import { Button } from '../components/button.tsx'
import { PostForm } from '../components/form.tsx'
import type { Frame } from '../components/layout.tsx'
import { sendPage } from '../response.tsx'
import type { TextName } from '../texts/index.ts'
import { rememberedQuery, rememberQuery, takeFlash } from './flash.ts'
import { PageLinks } from './page-links.tsx'
import { countTabs, Filters, hrefOf, type Tab } from './queue-filters.tsx'
import { readQueueQuery } from './queue-query.ts'
import { NEXT_FORM, Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'
import { wordOf } from './words.ts'

const PER_PAGE = 50

/** Returns the page number, or 1 if it is invalid. */
export function pageOf(given: unknown): number {
  const page = Number(given ?? 1)
  return Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1
}

/** Without a query, shows the queue with the last filter. `refusal` names the reason why a form was refused. */
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
  const [{ entries, hasMore, detailsVersion }, tabs] = await Promise.all([
    readQueuePage(deps, queueFilterOf(asked, visit.actor), { page, per_page: PER_PAGE }),
    countTabs(deps, visit),
  ])
  // The page depends only on these values and the current time, so a 304 needs no decryption.
  const seen = entries.map(({ assignedUntil: _, ...entry }) => entry)
  const version = createHash('sha256').update(
    JSON.stringify([visit.frame.language, asked, seen, hasMore, detailsVersion, tabs]),
  )
  const etag = `"${version.digest('base64url')}"`
  res.setHeader('ETag', etag)
  if (req.headers['if-none-match'] === etag) return void res.status(304).end()
  const notice = refusal ?? takeFlash(req, res)
  const { rows, assignees } = await readQueueDetails(deps, entries)
  const actors = [...rows.map((row) => row.assignedTo), ...assignees, asked.assigned]
  const [vaults, people] = [await listVaultNames(deps), await listOperatorNames(deps, actors)]
  // A filter that fails must not be stored, so this follows all reads.
  if (isAsked) rememberQuery(deps, res, asked)
  sendPage(
    res,
    refusal === undefined ? 200 : 422,
    <Queue visit={visit} {...{ asked, page, tabs, etag, rows, vaults, people, hasMore }} notice={notice} />,
  )
}

interface Shown {
  /** Names of vaults by ID. */
  readonly vaults: Names
  /** Names of operators by actor. */
  readonly people: Names
}

interface QueueProps extends Shown {
  readonly visit: ConsoleVisit
  readonly asked: QueueQuery
  readonly page: number
  readonly tabs: readonly Tab[]
  readonly etag: string
  readonly rows: readonly TitledEntry[]
  readonly hasMore: boolean
  readonly notice: TextName | undefined
}

function Queue({ visit, asked, page, tabs, etag, rows, hasMore, notice, ...shown }: QueueProps) {
  const { frame } = visit
  const { t } = frame
  const here = hrefOf(asked, page)
  return (
    <Shell
      visit={visit}
      title={t('console.queue')}
      tools={<Button form={NEXT_FORM}>{t('console.next')}</Button>}
    >
      {notice ? (
        <p class="notice" role="status">
          {t(notice)}
        </p>
      ) : null}
      <Filters visit={visit} asked={asked} tabs={tabs} {...shown} />
      <p class="news">
        <a href={here}>{t('console.reload')}</a>
        <span role="status" id="news" />
      </p>
      <div
        id="queue"
        data-live={here}
        data-etag={etag}
        data-news={t('console.news', { count: '{count}' })}
        data-gone={t('console.gone')}
        data-moved={t('console.moved')}
        data-ended={t('console.ended')}
      >
        {rows.length === 0 ? (
          <p>{t('console.empty')}</p>
        ) : (
          <>
            <Entries frame={frame} entries={rows} {...shown} isPickable />
            <PostForm visit={visit} action="/console/assignments" id={PICKED_FORM}>
              <input type="hidden" name="page" value={page} />
              <Button kind="secondary">{t('console.pick.take')}</Button>
            </PostForm>
          </>
        )}
        <PageLinks frame={frame} {...{ page, hasMore }} hrefOf={(to) => hrefOf(asked, to)} />
      </div>
    </Shell>
  )
}

const PICKED_FORM = 'picked'
const COLUMNS = ['what', 'kind', 'status', 'age', 'who'] as const

interface EntriesProps extends Shown {
  readonly frame: Frame
  readonly entries: readonly TitledEntry[]
  /** True if the operator can select several cases. */
  readonly isPickable?: boolean
}

export const Entries = ({ frame, entries, vaults, people, isPickable = false }: EntriesProps) => (
  <table class="queue">
    <thead>
      <tr>
        {isPickable ? (
          <th scope="col" class="pick">
            <span class="unseen">{frame.t('console.pick')}</span>
          </th>
        ) : null}
        {COLUMNS.map((column) => (
          <th key={column} scope="col" class={column}>
            {frame.t(`console.column.${column}`)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <tr key={entry.id} data-id={entry.id}>
          {isPickable ? (
            <td class="pick">
              <input
                type="checkbox"
                name="entity"
                value={`${entry.kind}:${entry.id}`}
                form={PICKED_FORM}
                aria-label={frame.t('console.pick.one', { title: titleOf(frame, entry) })}
              />
            </td>
          ) : null}
          <td class="what">
            <a href={consolePath(entry.kind, entry.id)}>{titleOf(frame, entry)}</a>{' '}
            <span class="quiet">{vaults.get(entry.vaultId) ?? entry.vaultId}</span>
            {entry.openHits > 0 ? (
              <span class="status bad"> {frame.t('console.hits', { count: entry.openHits })}</span>
            ) : null}
            {entry.pending ? <span class="status"> {frame.t('console.pending')}</span> : null}
          </td>
          <td class="kind">{frame.t(`console.one.${entry.kind}`)}</td>
          <td class="status">{wordOf(frame, 'console.status', entry.status)}</td>
          <td class="age">
            <Age frame={frame} since={entry.waitingSince} />
          </td>
          <td class="who">
            {entry.assignedTo === null ? null : <Who actor={entry.assignedTo} people={people} />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Returns the title, or the end of the ID if there is no name yet. */
const titleOf = ({ t }: Frame, { title, id }: TitledEntry): string =>
  title ?? t('console.nameless', { id: id.slice(-6) })

/** Shows the initials of the operator, taken from the email. */
function Who({ actor, people }: { actor: string } & Pick<Shown, 'people'>) {
  const name = people.get(actor) ?? actor
  const parts = (name.split('@')[0] ?? '').split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return (
    <span class="initials" title={name}>
      <span aria-hidden="true">
        {parts
          .slice(0, 2)
          .map((part) => part.charAt(0).toUpperCase())
          .join('')}
      </span>
      <span class="unseen">{name}</span>
    </span>
  )
}

/** The bar is full after three days, in seconds. */
const LONG = 3 * 86_400

/** Shows the age as text and as a bar. A script updates both. */
function Age({ frame, since }: { frame: Frame; since: Date }) {
  const seconds = secondsSince(since)
  return (
    <>
      <span data-since={Math.floor(since.getTime() / 1_000)}>{ageText(frame, since)}</span>
      <meter
        aria-hidden="true"
        min={0}
        max={LONG}
        low={86_400}
        high={2 * 86_400}
        optimum={0}
        value={seconds}
      />
    </>
  )
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Returns the party that the case is waiting on, and the time since then. */
export const waitText = (frame: Frame, party: string, since: Date): string =>
  party === 'nobody'
    ? wordOf(frame, 'console.party', party)
    : `${wordOf(frame, 'console.party', party)}, ${ageText(frame, since)}`

const secondsSince = (since: Date): number =>
  Math.max(0, Math.floor(Date.now() / 1_000) - Math.floor(since.getTime() / 1_000))

/** Returns the age in the largest unit that fits at least once. */
export function ageText({ language }: Frame, since: Date): string {
  const seconds = secondsSince(since)
  const [unit, length] = STEPS.find(([, each]) => seconds >= each) ?? ['minute', 60]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(seconds / length),
  )
}
