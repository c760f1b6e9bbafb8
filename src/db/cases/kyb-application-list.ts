/** Queries for lists of a vault's applications. */
import { and, eq, gt, gte, lt, or, sql } from 'drizzle-orm'
import { kybApplications } from '../../../drizzle/schema.ts'
import type { Page, Period } from '../../domain/base/page.ts'
import type { ListedStatus } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { Database } from '../connection/database.ts'
import { leniently } from '../connection/sealed.ts'
import { createTotal } from '../connection/total.ts'
import { openKybRow, readKybRows } from './kyb-application.ts'
import { type ChangeFilter, isFiltered, selectPage, sliceOf } from './list-page.ts'
import { kybProgressCondition, type ReviewProgressFilter } from './review-progress.ts'

/**
 * The maximum total size of applications that are read together. An application usually takes a few kilobytes, but can
 * take megabytes.
 */
const PART_BYTES = 1_000_000

export interface KybFilter extends ReviewProgressFilter, ChangeFilter, Period {
  readonly externalId?: string | undefined
  readonly status?: ListedStatus | undefined
}

function matching(
  vaultId: string,
  { externalId, status, from, before, updatedSince, ...progress }: KybFilter,
) {
  const {
    vaultId: ofVault,
    externalId: own,
    completed,
    status: column,
    createdAt,
    updatedAt,
  } = kybApplications
  return and(
    eq(ofVault, vaultId),
    externalId === undefined ? undefined : eq(own, externalId),
    status && (status === 'completed' ? completed : eq(column, status)),
    from && gte(createdAt, from),
    before && lt(createdAt, before),
    updatedSince && gte(updatedAt, updatedSince),
    kybProgressCondition(progress),
  )
}

/**
 * Returns a page of the vault's applications, newest first, or most recently changed first with `updatedSince`.
 * `rest` reads the applications beyond `PART_BYTES` on demand.
 */
export async function listKybApplications(db: Database, vaultId: string, page: Page, filter: KybFilter = {}) {
  const where = matching(vaultId, filter)
  const shown = selectPage(db.orm, kybApplications, where, sliceOf(page), filter)
  const [found, totalCount] = await Promise.all([
    // Reads the sizes only for the applications on the page.
    db.orm
      .select({ id: kybApplications.id, bytes: BYTES })
      .from(kybApplications)
      .where(shown.where)
      .orderBy(...shown.order),
    isFiltered(filter) ? db.orm.$count(kybApplications, where) : countApplications(db, vaultId),
  ])
  const [first = [], ...others] = inParts(found)
  const read = async (ids: readonly string[]) => {
    const rows = await readKybRows(db).execute({ vaultId, ids })
    const inOrder = rows.sort((a, b) => ids.indexOf(a.row.id) - ids.indexOf(b.row.id))
    return Promise.all(inOrder.map((row) => openKybRow(db, row, leniently)))
  }
  async function* readOthers() {
    for (const ids of others) yield* await read(ids)
  }
  const rest = others.length > 0 ? readOthers() : undefined
  return { entries: await read(first), rest, totalCount }
}

/**
 * The stored size of an application, which PostgreSQL determines without reading the values. Counts 100 bytes for the
 * other columns of each file.
 */
const BYTES = sql<number>`octet_length(content) + coalesce(octet_length(review), 0)
  + coalesce(octet_length(proposal), 0) + (
  SELECT coalesce(sum(octet_length(person)), 0) FROM beneficiaries
  WHERE kyb_application_id = kyb_applications.id AND removed_at IS NULL)::int + (
  SELECT coalesce(sum(octet_length(name) + 100), 0) FROM files
  WHERE kyb_application_id = kyb_applications.id AND state IN ('uploading', 'attached'))::int`

/**
 * Splits the applications, in their order, into parts of at most `PART_BYTES`. A larger application forms a part by
 * itself.
 */
function inParts(found: readonly { id: string; bytes: number }[]): string[][] {
  const parts: string[][] = []
  let left = 0
  for (const { id, bytes } of found) {
    if (bytes > left) {
      parts.push([])
      left = PART_BYTES
    }
    parts.at(-1)?.push(id)
    left -= bytes
  }
  return parts
}

const countApplications = createTotal(kybApplications)

/** Reads the vault's open and approved applications in parts, oldest first. */
export async function* readUnderReview(db: Database, vaultId: string): AsyncGenerator<KybApplication> {
  const { id, status, reviewOutcome } = kybApplications
  let last: string | undefined
  for (;;) {
    const found = await db.orm
      .select({ id })
      .from(kybApplications)
      .where(
        and(
          eq(kybApplications.vaultId, vaultId),
          or(eq(status, 'open'), eq(reviewOutcome, 'approved')),
          last === undefined ? undefined : gt(id, last),
        ),
      )
      .orderBy(id)
      .limit(REHEARSED_TOGETHER)
    const rows = await readKybRows(db).execute({ vaultId, ids: found.map((each) => each.id) })
    for (const row of rows) yield openKybRow(db, row, leniently)
    last = found.at(-1)?.id
    if (found.length < REHEARSED_TOGETHER) return
  }
}

const REHEARSED_TOGETHER = 50
