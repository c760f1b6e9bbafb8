/** Finding an application or identification by what is known of it, which no address and no log should show. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { text } from '../../contracts/common.ts'
import { readVaultNames } from '../../db/access/vault.ts'
import { vaultOf } from '../../db/cases/entity.ts'
import { lookUp } from '../../db/cases/lookup.ts'
import { consolePath, ENTITY_KINDS } from '../../domain/entity.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendPage } from '../answer.tsx'
import { PostForm } from '../components/form.tsx'
import type { Sent } from '../form-values.ts'
import { Entries, namesOf } from './queue.tsx'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'

const FOUND = { page: 1, per_page: 25 }
const words = text(500)
/** Of so many of its words may the first names be. */
const MAX_FIRST_NAMES = 4

interface Found {
  readonly entries: Awaited<ReturnType<typeof lookUp>>['entries']
  /** Some lookup found more than it shows. */
  readonly hasMore: boolean
}
const NOTHING: Found = { entries: [], hasMore: false }

/** What was looked for stands in the address, sealed, so that going back to what was found asks for nothing. */
export async function search(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = words.safeParse((req.body as Sent | undefined)?.q ?? '')
  // What cannot be stored anywhere is found nowhere.
  if (!sent.success) return showFound(deps, visit, res, '', NOTHING)
  const asked = sent.data.trim()
  if (asked === '') return res.redirect(303, PATH)
  const known = isUuid(asked) ? await addressOfId(deps, asked.toLowerCase()) : null
  if (known) return res.redirect(303, known)
  const sealed = deps.db.encryption.seal(asked, sealedTo(visit)).toString('base64url')
  res.redirect(303, `${PATH}?found=${sealed}`)
}

/** An empty form, or what was found. */
export async function showSearch(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const asked = askedBy(deps, visit, req.query.found)
  return showFound(deps, visit, res, asked ?? '', asked === null ? null : await find(deps, asked))
}

const PATH = '/console/search'
const sealedTo = ({ userId }: ConsoleVisit): string => `search:${userId}`

/** Null where somebody else asked, or with a key that is no more. */
function askedBy({ db }: RouteDeps, visit: ConsoleVisit, sealed: unknown): string | null {
  if (typeof sealed !== 'string') return null
  try {
    return db.encryption.open(Buffer.from(sealed, 'base64url'), sealedTo(visit)).toString()
  } catch {
    return null
  }
}

async function showFound(
  deps: RouteDeps,
  visit: ConsoleVisit,
  res: Response,
  asked: string,
  found: Found | null,
): Promise<void> {
  const vaults = await readVaultNames(deps.db)
  const people = await namesOf(
    deps,
    (found?.entries ?? []).map((entry) => entry.assigned_to),
  )
  const status = found?.entries.length === 0 ? 404 : 200
  sendPage(res, status, <Search visit={visit} {...{ asked, found, vaults, people }} />)
}

async function addressOfId({ db }: RouteDeps, id: string): Promise<string | null> {
  for (const entity of ENTITY_KINDS) if (await vaultOf(db, { entity, id })) return consolePath(entity, id)
  return null
}

/** It may be the client's own id, an e-mail, or a name, of which nobody says where the surname begins. */
async function find({ db }: RouteDeps, asked: string): Promise<Found> {
  const inWords = asked.split(/\s+/)
  const wanted = [{ externalId: asked }, { name: asked }, ...(asked.includes('@') ? [{ email: asked }] : [])]
  const ofPersons = inWords.slice(1, MAX_FIRST_NAMES + 1).map((_, n) => {
    const [name, surname] = [inWords.slice(0, n + 1), inWords.slice(n + 1)].map((part) => part.join(' '))
    return { name, surname }
  })
  const found = await Promise.all([
    ...ENTITY_KINDS.flatMap((kind) => wanted.map((each) => lookUp(db, kind, each, FOUND))),
    ...ofPersons.map((each) => lookUp(db, 'identification', each, FOUND)),
  ])
  const all = found.flatMap(({ entries }) => entries)
  return {
    entries: all.filter((entry, n) => all.findIndex(({ id }) => id === entry.id) === n),
    hasMore: found.some(({ totalCount }) => totalCount > FOUND.per_page),
  }
}

interface SearchProps {
  readonly visit: ConsoleVisit
  readonly asked: string
  readonly found: Found | null
  readonly vaults: ReadonlyMap<string, string>
  readonly people: ReadonlyMap<string, string>
}

function Search({ visit, asked, found, ...shown }: SearchProps) {
  const { t } = visit.frame
  return (
    <Shell visit={visit} title={t('console.search')}>
      <PostForm visit={visit} action={PATH}>
        <div class="field">
          <label for="q">{t('console.search.label')}</label>
          <p class="hint" id="q-hint">
            {t('console.search.hint')}
          </p>
          <div class="actions">
            <input
              type="search"
              id="q"
              name="q"
              value={asked}
              aria-describedby="q-hint"
              // Who came to search types at once, and letters elsewhere are keys of the console.
              autofocus={found === null}
            />
            <button type="submit">{t('console.search')}</button>
          </div>
        </div>
      </PostForm>
      {found === null ? null : found.entries.length === 0 ? (
        <p role="status">{t('console.search.nothing')}</p>
      ) : (
        <>
          <Entries frame={visit.frame} entries={found.entries} {...shown} />
          {found.hasMore ? <p role="status">{t('console.search.more', { count: FOUND.per_page })}</p> : null}
        </>
      )}
    </Shell>
  )
}
