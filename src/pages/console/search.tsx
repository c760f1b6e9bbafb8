/** Page: search for a case. The search text must not appear in addresses or logs. */

import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { text } from '../../contracts/common.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { consolePath } from '../../domain/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listOperatorNames, listVaultNames, type Names } from '../../use-cases/access/names.ts'
import { findEntity } from '../../use-cases/cases/entity-ref.ts'
import { type Found, searchCases } from '../../use-cases/cases/queue.ts'
import { openSearch, sealSearch } from '../../use-cases/cases/sealed-search.ts'
import { Button } from '../components/button.tsx'
import { PostForm } from '../components/form.tsx'
import type { Sent } from '../form-values.ts'
import { sendPage } from '../response.tsx'
import { Entries } from './queue.tsx'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'

const FOUND = { page: 1, per_page: 25 }
const words = text(500)

const NOTHING: Found = { entries: [], hasMore: false }

/** Redirects to an address that contains the encrypted search text, so that the browser can return to the results. */
export async function search(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = words.safeParse((req.body as Sent | undefined)?.q ?? '')
  // The schema refuses only texts that no stored value can contain.
  if (!sent.success) return showFound(deps, visit, res, '', NOTHING)
  const asked = sent.data.trim()
  if (asked === '') return res.redirect(303, PATH)
  const known = isUuid(asked) ? await findEntity(deps, visit, asked.toLowerCase()) : null
  if (known) return res.redirect(303, consolePath(known.entity, known.id))
  res.redirect(303, `${PATH}?found=${sealSearch(deps, visit.userId, asked)}`)
}

/** Shows the results of the search in the address, or an empty form if there is none. */
export async function showSearch(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { found: sealed } = req.query
  const asked = typeof sealed === 'string' ? openSearch(deps, visit.userId, sealed) : null
  return showFound(
    deps,
    visit,
    res,
    asked ?? '',
    asked === null ? null : await searchCases(deps, vaultsFor(visit, 'read_cases'), asked, FOUND),
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
  const people = await listOperatorNames(
    deps,
    (found?.entries ?? []).map((entry) => entry.assignedTo),
  )
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
  return (
    <Shell visit={visit} title={t('console.search')}>
      <PostForm visit={visit} action={PATH}>
        <div class="field">
          <label class="unseen" for="q">
            {t('console.search.label')}
          </label>
          <p class="hint" id="q-hint">
            {t('console.search.hint')}
          </p>
          <div class="search-line">
            <input
              type="search"
              id="q"
              name="q"
              value={asked}
              aria-describedby="q-hint"
              // Without the focus, typed letters would trigger keyboard shortcuts.
              autofocus={found === null}
            />
            <Button>{t('console.search')}</Button>
          </div>
        </div>
      </PostForm>
      {found === null ? null : found.entries.length === 0 ? (
        <p role="status" class="card">
          {t('console.search.nothing')}
        </p>
      ) : (
        <>
          <Entries frame={visit.frame} entries={found.entries} {...shown} />
          {found.hasMore ? <p role="status">{t('console.search.more', { count: FOUND.per_page })}</p> : null}
        </>
      )}
    </Shell>
  )
}
