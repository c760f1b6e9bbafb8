/** Page: the home of a vault's own users, with what needs them and all open applications. */
import type { CaseFilter } from '../../../domain/review/queue.ts'
import { countClientCases, listClientCases, readClientWeek } from '../../../use-cases/review/client-cases.ts'
import { listWebhookUrls } from '../../../use-cases/webhooks/urls.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Icon } from '../../components/icon.tsx'
import { LinkMenu } from '../../components/menu.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { countText, FilterBar, MAX_COUNT } from '../base/filter-bar.tsx'
import { PageLinks } from '../base/page-links.tsx'
import { seatPath } from '../base/visit.ts'
import { failingBanner } from '../webhook/list.tsx'
import { type ClientAsk, type ClientReply, canManage } from './ask.ts'
import { ClientCases } from './case-table.tsx'
import { SearchForm } from './search.tsx'
import { Week } from './week.tsx'

const PER_PAGE = 25
const MOST_NEEDING = 10

/** The filters of the list, keyed by their name in the address. The first one omits the cases of the card above it. */
const FILTERS = {
  open: { status: 'open', notWaitingOn: 'client' },
  applicant: { status: 'open', waitingOn: 'applicant' },
  review: { status: 'in_review' },
  client: { status: 'open', waitingOn: 'client' },
  approved: { status: 'approved' },
  rejected: { status: 'rejected' },
} as const satisfies Readonly<Record<string, Omit<CaseFilter, 'scope'>>>
type FilterName = keyof typeof FILTERS
const NAMES = Object.keys(FILTERS) as FilterName[]

const readFilter = (given: unknown): FilterName => NAMES.find((name) => name === given) ?? 'open'

export async function homePage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, frame, t, caller, seat, page, req } = ask
  const chosen = readFilter(req.query.show)
  const counted = await Promise.all(
    NAMES.map(
      async (name) => [name, await countClientCases(deps, caller, FILTERS[name], MAX_COUNT)] as const,
    ),
  )
  const counts = Object.fromEntries(counted) as Record<FilterName, number>
  const needing =
    counts.client === 0 || chosen === 'client'
      ? []
      : (await listClientCases(deps, caller, FILTERS.client, { page: 1, per_page: MOST_NEEDING })).cases
  // The card lists the cases that need the client. The filter is necessary only if there are more.
  const hasMoreNeeding = counts.client > needing.length
  const range = { page, per_page: PER_PAGE }
  const { cases, hasMore } = await listClientCases(deps, caller, FILTERS[chosen], range)
  const mayManage = canManage(ask)
  const isNew = chosen === 'open' && NAMES.every((name) => counts[name] === 0)
  const hrefOf = (name: FilterName, to = 1) =>
    `${seatPath(seat.id)}?show=${name}${to > 1 ? `&page=${to}` : ''}`
  return {
    title: seat.name,
    count:
      !isNew &&
      t(mayManage ? 'console.client.counts' : 'console.client.counts.team', {
        open: counts.open + counts.client,
        needing: counts.client,
      }),
    isWide: true,
    tools: (
      <>
        {visit.seats.length > 1 ? (
          <LinkMenu
            current={seatPath(seat.id)}
            links={visit.seats.map(({ id, name }) => [seatPath(id), name])}
          >
            <summary class="filter-chip">
              {t('console.client.vaults')} <Icon name="chevron-down" size={14} />
            </summary>
          </LinkMenu>
        ) : null}
        {isNew ? null : <SearchForm ask={ask} />}
        {mayManage ? <CreateLink ask={ask} /> : null}
      </>
    ),
    children: (
      <>
        {await failingBanner(ask, caller, seatPath(seat.id, 'webhooks', 'urls'))}
        {isNew ? (
          <FirstSteps ask={ask} />
        ) : (
          <div class="client-home">
            <div>
              {needing.length > 0 ? (
                <Card
                  id="needs-title"
                  title={t(mayManage ? 'console.client.needsYou' : 'console.client.needsTeam')}
                  text={mayManage ? undefined : t('console.client.needsTeam.text')}
                  end={
                    <span class="quiet">{t('console.client.needsYou.count', { count: counts.client })}</span>
                  }
                  class="card-of-table"
                >
                  <ClientCases ask={ask} cases={needing} />
                </Card>
              ) : null}
              <div class="client-title">
                <h2>
                  {t(needing.length > 0 ? 'console.client.otherApplications' : 'console.client.applications')}
                </h2>
                <FilterBar
                  frame={frame}
                  tabs={NAMES.filter((name) => name !== 'client' || hasMoreNeeding).map((name) => ({
                    key: name,
                    name: t(`console.client.show.${name}`),
                    href: hrefOf(name),
                    count: countText(counts[name]),
                    isCurrent: name === chosen,
                  }))}
                />
              </div>
              {cases.length === 0 ? (
                <EmptyState icon="folder" text={t('console.client.none')} />
              ) : (
                <ClientCases ask={ask} cases={cases} />
              )}
              <PageLinks frame={frame} {...{ page, hasMore }} hrefOf={(to) => hrefOf(chosen, to)} />
            </div>
            <aside class="client-aside" aria-label={t('console.client.week')}>
              <Week
                ask={ask}
                week={await readClientWeek(deps, caller)}
                urls={await listWebhookUrls(deps, caller)}
              />
            </aside>
          </div>
        )}
      </>
    ),
  }
}

const CreateLink = ({ ask: { t, seat } }: { readonly ask: ClientAsk }) => (
  <ButtonLink icon="plus" href={seatPath(seat.id, 'links')}>
    {t('console.client.newLink')}
  </ButtonLink>
)

/** Shows a new client how applications begin. Viewers cannot begin any. */
const FirstSteps = ({ ask }: { readonly ask: ClientAsk }) => {
  const { t, seat } = ask
  if (!canManage(ask)) return <EmptyState icon="folder" text={t('console.client.first.reader')} />
  const steps = [
    ['link', 'links', 'link'],
    ['key', 'keys', 'key-round'],
    ['webhook', 'webhooks', 'webhook'],
    ['member', 'members', 'users'],
  ] as const
  return (
    <Card
      id="first-title"
      title={t('console.client.first')}
      text={t('console.client.first.text')}
      class="card-of-table"
    >
      <ol class="rows">
        {steps.map(([name, path, icon]) => (
          <TaskRow
            key={name}
            href={seatPath(seat.id, path)}
            icon={icon}
            name={t(`console.client.first.${name}`)}
            note={t(`console.client.first.${name}.text`)}
          />
        ))}
      </ol>
    </Card>
  )
}
