/** Encrypts stored values and blobs again with the current key, and skips those that already use it. */
import { and, asc, eq, gt, ne, sql } from 'drizzle-orm'
import { files } from '../../../drizzle/schema.ts'
import type { BlobStore } from '../../storage/blob-store.ts'
import { keyHeader } from '../../storage/encryption.ts'
import { type Database, transaction } from './database.ts'
import { partsOf, SEALED_COLUMNS, type SealedColumn, sealedFor, unsealOrReport } from './sealed.ts'

const BATCH = 100

interface ResealProgress {
  /** Receives the number of re-encrypted values after each batch of rows and each file. */
  done(count: number): void
  /** Receives a description of each value that cannot be decrypted, with the reason. */
  unopened(what: string): void
}

/** Stands for the key of a value that does not contain a key ID. */
export const UNKNOWN = ''

export type KeyUse = ReadonlyMap<string, number>

/** Returns the keys in use for each encrypted column and, under `files`, for the blobs. */
export async function readKeyUse(db: Database, blobs: BlobStore) {
  const uses = new Map<SealedColumn | 'files', KeyUse>()
  for (const name of SEALED_COLUMNS) uses.set(name, await readColumnKeyUse(db, name))
  const ofBlobs = new Map<string, number>()
  for await (const id of storedFiles(db)) {
    const key = await blobs.keyId(id).catch(() => UNKNOWN)
    if (key !== null) ofBlobs.set(key, (ofBlobs.get(key) ?? 0) + 1)
  }
  return uses.set('files', ofBlobs)
}

async function readColumnKeyUse(db: Database, name: SealedColumn): Promise<KeyUse> {
  const { table, column } = partsOf(name)
  // `escape` also shows the key ID of a damaged value, which may not be valid text.
  const rows = await db.orm.execute<{ key: string; count: number }>(sql`
    SELECT CASE WHEN ${column} = '' THEN ${UNKNOWN}
        ELSE encode(substring(${column} FROM 2 FOR get_byte(${column}, 0) & 127), 'escape') END AS key,
      count(*)::int AS count
    FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`)
  return new Map(rows.map(({ key, count }) => [key, count]))
}

/** Encrypts the values of a column with the current key, and returns the number of re-encrypted values. */
export async function resealColumn(db: Database, name: SealedColumn, progress: ResealProgress) {
  let done = 0
  for (let after: string[] | null = null; ; ) {
    const batch: Batch = await resealBatch(db, name, after, progress)
    done += batch.count
    progress.done(done)
    if (batch.last === null) return done
    after = batch.last
  }
}

interface Batch {
  readonly count: number
  /** The primary key of the last row, or null if no more rows follow. */
  readonly last: string[] | null
}

/**
 * Re-encrypts a batch of rows. Locks the rows until they are written, so that no concurrent change is lost. Skips rows
 * that another transaction has locked.
 */
const resealBatch = (
  db: Database,
  name: SealedColumn,
  after: readonly string[] | null,
  progress: ResealProgress,
): Promise<Batch> =>
  transaction(db, async (tx) => {
    const { table, column, owner, primaryKey } = partsOf(name)
    const key = sql.join(primaryKey, sql`, `)
    const values = (row: readonly string[]) =>
      sql.join(
        row.map((value) => sql`${value}`),
        sql`, `,
      )
    const header = keyHeader(tx.encryption.keyId)
    const rows = await tx.orm.execute<{ key: string[]; place: string; owner: string; sealed: Buffer }>(sql`
      SELECT ARRAY[${sql.join(
        primaryKey.map((each) => sql`${each}::text`),
        sql`, `,
      )}] AS key, ctid::text AS place, ${owner}::text AS owner, ${column} AS sealed
      FROM ${table}
      WHERE ${column} IS NOT NULL AND substring(${column} FROM 1 FOR ${header.length}::int) <> ${header}
        ${after ? sql`AND (${key}) > (${values(after)})` : sql``}
      ORDER BY ${key} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`)
    const sealed = new Map<string, Buffer>()
    for (const row of rows) {
      const context = sealedFor(name, row.owner)
      const content = await unsealOrReport(context, progress.unopened, () =>
        tx.encryption.unseal(row.sealed, context),
      )
      if (content !== null) sealed.set(row.place, tx.encryption.seal(content, context))
    }
    // A locked row keeps its place.
    await tx.orm.execute(sql`
      UPDATE ${table} AS stored SET ${column} = fresh.sealed
      FROM unnest(${sql.param([...sealed.keys()])}::tid[], ${sql.param([...sealed.values()])}::bytea[])
        AS fresh (place, sealed)
      WHERE stored.ctid = fresh.place`)
    return { count: sealed.size, last: rows.length < BATCH ? null : (rows.at(-1)?.key ?? null) }
  })

/** Encrypts the blobs of stored files again. Skips a file that is locked, or that is deleted in the meantime. */
export async function resealBlobs(db: Database, blobs: BlobStore, progress: ResealProgress): Promise<number> {
  let done = 0
  for await (const id of storedFiles(db)) {
    const what = `files:${id}`
    const key = await unsealOrReport(what, progress.unopened, () => blobs.keyId(id))
    if (key === null || key === db.encryption.keyId) continue
    done += await transaction(db, async (tx) => {
      // Detaching the file waits for this lock, so that the write does not restore a removed blob.
      const [locked] = await tx.orm
        .select({ id: files.id })
        .from(files)
        .where(and(eq(files.id, id), ne(files.state, 'detached')))
        .for('update', { skipLocked: true })
      if (!locked || (await unsealOrReport(what, progress.unopened, () => blobs.keyId(id))) === null) return 0
      const content = await unsealOrReport(what, progress.unopened, () => blobs.read(id))
      if (content === null) return 0
      await blobs.write(id, [content], { isReplacement: true })
      return 1
    })
    progress.done(done)
  }
  return done
}

async function* storedFiles({ orm }: Database): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const rows: { id: string }[] = await orm
      .select({ id: files.id })
      .from(files)
      .where(and(ne(files.state, 'detached'), after === null ? undefined : gt(files.id, after)))
      .orderBy(asc(files.id))
      .limit(BATCH)
    for (const { id } of rows) yield id
    after = rows.at(-1)?.id ?? null
    if (after === null) return
  }
}
