/** Page: the cases of a vault that a search found. The search text must not appear in addresses or logs. */
import { validate as isUuid } from 'uuid'
import { text } from '../../../contracts/common.ts'
import { findClientCase, searchClientCases } from '../../../use-cases/review/client-cases.ts'
import { sealSearch, unsealSearch } from '../../../use-cases/review/sealed-search.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { textOf } from '../base/form.ts'
import { SearchInput } from '../base/search-field.tsx'
import { seatPath } from '../base/visit.ts'
import type { ClientAsk, ClientReply } from './ask.ts'
import { CASE_PATHS, ClientCases } from './case-table.tsx'

const FOUND = { page: 1, per_page: 25 }
const words = text(500)

export const SearchForm = ({ ask: { visit, t, seat }, asked = '' }: { ask: ClientAsk; asked?: string }) => (
  <PostForm visit={visit} action={seatPath(seat.id, 'search')} class="search-field">
    <SearchInput label={t('console.client.search')} value={asked} />
  </PostForm>
)

/** Redirects to the case with the ID, or to an address that contains the encrypted search text. */
export async function search({ deps, visit, caller, seat, sent }: ClientAsk): Promise<ClientReply> {
  const { data: asked = '' } = words.safeParse(textOf(sent, 'q') ?? '')
  if (asked === '') return seatPath(seat.id)
  const id = asked.toLowerCase()
  const known = isUuid(id) ? await findClientCase(deps, caller, id) : null
  if (known) return seatPath(seat.id, CASE_PATHS[known], id)
  return `${seatPath(seat.id, 'search')}?found=${sealSearch(deps, visit.userId, asked)}`
}

export async function searchPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, t, caller, seat, req } = ask
  const { found: sealed } = req.query
  const asked = typeof sealed === 'string' ? unsealSearch(deps, visit.userId, sealed) : null
  const { cases, hasMore } =
    asked === null ? { cases: [], hasMore: false } : await searchClientCases(deps, caller, asked, FOUND)
  return {
    title: t('console.search'),
    up: { href: seatPath(seat.id), name: 'console.client.back' },
    count: asked === null ? null : t('console.search.count', { count: cases.length }),
    tools: <SearchForm ask={ask} asked={asked ?? ''} />,
    isWide: true,
    children: (
      <>
        {cases.length > 0 ? (
          <ClientCases ask={ask} cases={cases} />
        ) : (
          <EmptyState icon="search" text={t('console.search.nothing')} />
        )}
        {hasMore ? <p class="quiet">{t('console.client.search.more')}</p> : null}
      </>
    ),
  }
}
