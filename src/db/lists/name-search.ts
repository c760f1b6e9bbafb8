/** Queries that find entities by parts of names, and then compare the decrypted names. */
import { type SQL, sql } from 'drizzle-orm'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { Database } from '../connection/database.ts'
import { hashesOf, readNames } from './name-parts.ts'
import { matchesName, searchPartsOf, searchWordsOf } from './name-words.ts'
import { ENTRY, readEntries } from './queue.ts'

/**
 * The maximum number of rows that a search reads. They belong to the newest entities whose names contain the rarest
 * word.
 */
const MAX_READ = 5_000
/** The maximum number of entities whose names are decrypted and compared. */
const MAX_CANDIDATES = 50

/** Returns the newest entities with a name in which each word of the text begins a word. */
export async function findByNameParts(db: Database, text: string, limit: number, scope: VaultScope) {
  const words = searchWordsOf(text)
  const { ids, hasMore } = await findCandidates(
    db,
    searchPartsOf(words).map((parts) => hashesOf(db, parts)),
    scope,
  )
  if (ids.length === 0) return { entries: [], hasMore }
  const names = await readNames(db, ids)
  const matched = new Map(
    ids.map((id) => [id, names.get(id)?.names.find((name) => matchesName(words, name))] as const),
  )
  const matches = ids.filter((id) => matched.get(id) !== undefined)
  const shown = matches.slice(0, limit)
  const rows = await readEntries(
    db,
    sql`SELECT 'kyb' AS kind, ${ENTRY} FROM kyb_applications WHERE id = ANY(${sql.param(shown)}::uuid[])
      UNION ALL SELECT 'identification', ${ENTRY} FROM identifications WHERE id = ANY(${sql.param(shown)}::uuid[])
      ORDER BY id DESC`,
  )
  const entries = rows.map((row) => {
    const title = names.get(row.id)?.title ?? null
    const name = matched.get(row.id)
    return { ...row, ...(name !== undefined && name !== title && { matched: name }) }
  })
  return { entries, hasMore: hasMore || matches.length > limit }
}

/** The hashes of the one or two spellings of a word. */
type Hashes = readonly string[]

/** Returns the newest entities that have one of the hashes of each word. */
async function findCandidates(db: Database, words: readonly Hashes[], scope: VaultScope) {
  const [rarest, ...others] = await sortByCount(db, words, scope)
  if (!rarest || rarest.count === 0) return { ids: [], hasMore: false }
  const [one, other] = eachOf(rarest.hashes, (isHash) => newestWith(isHash, scope))
  // PostgreSQL evaluates a scalar subquery for each row through the primary key. A join could read all rows of a common
  // word.
  const hasWord = others.map(({ hashes }) => {
    const [first, second] = eachOf(
      hashes,
      (isHash) => sql`(SELECT true FROM name_parts WHERE ${isHash} AND entity_id = newest.entity_id)`,
    )
    return sql`(${first} OR ${second})`
  })
  const rows = await db.orm.execute<{ id: string }>(sql`
    SELECT DISTINCT entity_id AS id FROM ${newestOf(sql`(${one} UNION ALL ${other}) AS either`)} AS newest
    WHERE ${sql.join([sql`true`, ...hasWord], sql` AND `)}
    ORDER BY id DESC LIMIT ${MAX_CANDIDATES + 1}`)
  return {
    ids: rows.slice(0, MAX_CANDIDATES).map(({ id }) => id),
    hasMore: rows.length > MAX_CANDIDATES || rarest.count >= MAX_READ,
  }
}

/**
 * Returns a part of the statement for each of two spellings. If there is only one spelling, the text of the statement
 * must still be the same.
 */
const eachOf = ([one, other]: Hashes, part: (isHash: SQL) => SQL): SQL[] =>
  [one, other].map((hash) => part(sql`part_hash = decode(${hash ?? null}, 'hex')`))

const newestOf = (rows: SQL): SQL =>
  sql`(SELECT entity_id FROM ${rows} ORDER BY entity_id DESC LIMIT ${MAX_READ})`

/** Returns the newest entities in the scope that have the hash. An index sorts the entities of each vault. */
function newestWith(isHash: SQL, scope: VaultScope): SQL {
  if (scope === 'all') return newestOf(sql`name_parts WHERE ${isHash}`)
  const ofVault = newestOf(sql`name_parts WHERE ${isHash} AND vault_id = vault.id`)
  return newestOf(sql`unnest(${sql.param(scope)}::uuid[]) AS vault (id) CROSS JOIN LATERAL ${ofVault} AS own`)
}

/** Sorts the words by their number of rows in the scope, rarest first. Counts each spelling only up to a limit. */
async function sortByCount(db: Database, words: readonly Hashes[], scope: VaultScope) {
  if (words.length === 0) return []
  const counts = words.map((hashes) => {
    const spellings = eachOf(
      hashes,
      (isHash) => sql`(SELECT count(*)::int FROM ${newestWith(isHash, scope)} AS counted)`,
    )
    return sql.join(spellings, sql` + `)
  })
  const [row] = await db.orm.execute<{ counts: number[] }>(
    sql`SELECT json_build_array(${sql.join(counts, sql`, `)}) AS counts`,
  )
  return words
    .map((hashes, n) => ({ hashes, count: row?.counts[n] ?? 0 }))
    .sort((one, other) => one.count - other.count)
}
