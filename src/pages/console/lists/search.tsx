/** Page: search for a case. The search text must not appear in addresses or logs. */
import type { Response } from 'express'
import { validate as isUuid } from 'uuid'
import { text } from '../../../contracts/common.ts'
import { vaultsFor } from '../../../domain/access/grant.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listOperatorNames, listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { findEntity } from '../../../use-cases/case/entity-ref.ts'
import { type Found, searchCases } from '../../../use-cases/review/queue.ts'
import { sealSearch, unsealSearch } from '../../../use-cases/review/sealed-search.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { RowText } from '../../components/row-text.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import { SearchInput } from '../base/search-field.tsx'
import { Shell } from '../base/shell.tsx'
import type { ConsoleRequest, ConsoleVisit } from '../base/visit.ts'
import { CASE_COLUMNS, EntryTable } from './entry-table.tsx'
import { actorsIn } from './queue-cells.tsx'

const FOUND = { page: 1, per_page: 25 }
const words = text(500)

const NOTHING: Found = { entries: [], hasMore: false }

/** Redirects to an address that contains the encrypted search text, so that the browser can return to the results. */
export async function search({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const sent = words.safeParse((req.body as Sent | undefined)?.q ?? '')
  // The schema refuses only texts that no stored value can contain.
  if (!sent.success) return showFound(deps, visit, res, '', NOTHING)
  const asked = sent.data.trim()
  if (asked === '') return res.redirect(303, PATH)
  const known = isUuid(asked) ? await findEntity(deps, visit, asked) : null
  if (known) return res.redirect(303, consolePath(known.entity, known.id))
  res.redirect(303, `${PATH}?found=${sealSearch(deps, visit.userId, asked)}`)
}

/** Shows the results for the search text in the address, or an empty form if the address contains none. */
export async function showSearch({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const { found: sealed } = req.query
  const asked = typeof sealed === 'string' ? unsealSearch(deps, visit.userId, sealed) : null
  return showFound(
    deps,
    visit,
    res,
    asked ?? '',
    asked === null
      ? null
      : await searchCases(deps, byOf(visit, req), vaultsFor(visit, 'read_cases'), asked, FOUND),
  )
}

const PATH = '/console/search'

async function showFound(
  deps: RouteDeps,
  visit: ConsoleVisit,
  res: Response,
  asked: string,
  found: Found | null,
): Promise<void> {
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_cases'))
  const people = await listOperatorNames(deps, actorsIn(found?.entries ?? []))
  const status = found?.entries.length === 0 ? 404 : 200
  sendPage(res, status, <Search visit={visit} {...{ asked, found, vaults, people }} />)
}

interface SearchProps {
  readonly visit: ConsoleVisit
  readonly asked: string
  readonly found: Found | null
  readonly vaults: Names
  readonly people: Names
}

function Search({ visit, asked, found, ...shown }: SearchProps) {
  const { t } = visit.frame
  const { entries } = found ?? NOTHING
  return (
    <Shell
      visit={visit}
      title={t('console.search')}
      count={
        found === null ? null : (
          <span role="status">{t('console.search.count', { count: entries.length })}</span>
        )
      }
    >
      <PostForm visit={visit} action={PATH}>
        <div class="search-line">
          <span class="search-field">
            <SearchInput
              label={t('console.search.label')}
              id="q"
              value={asked}
              placeholder={t('console.search.find')}
              {...(found === null && { 'aria-describedby': 'terms' })}
              // Without the focus, typed letters would trigger keyboard shortcuts.
              autofocus={found === null}
            />
          </span>
          <Button>{t('console.search')}</Button>
        </div>
      </PostForm>
      {found === null ? (
        <Terms t={t} />
      ) : entries.length === 0 ? (
        <EmptyState icon="search" text={t('console.search.nothing')}>
          <ButtonLink kind="secondary" href={PATH}>
            {t('console.search.clear')}
          </ButtonLink>
          <ButtonLink kind="quiet" href="/console/cases">
            {t('console.cases.all')}
          </ButtonLink>
        </EmptyState>
      ) : (
        <EntryTable frame={visit.frame} columns={CASE_COLUMNS} entries={entries} {...shown} />
      )}
      {found?.hasMore ? <p class="quiet">{t('console.search.more', { count: FOUND.per_page })}</p> : null}
    </Shell>
  )
}

const TERMS = { name: 'users', email: 'mail', id: 'id-card' } as const satisfies Record<string, IconName>

/** Lists the values that lead to a case. */
const Terms = ({ t }: { t: Translate }) => (
  <section class="search-terms" aria-labelledby="terms-title">
    <h2 id="terms-title">{t('console.search.terms')}</h2>
    <ul class="card rows" id="terms">
      {(Object.keys(TERMS) as (keyof typeof TERMS)[]).map((term) => (
        <li key={term}>
          <Icon name={TERMS[term]} size={20} />
          <RowText name={t(`console.search.${term}`)} note={t(`console.search.${term}.text`)} />
        </li>
      ))}
    </ul>
  </section>
)
