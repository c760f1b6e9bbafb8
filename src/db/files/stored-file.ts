/** Queries for the storage of files: the space that they use, their checksums, and lost files. */
import { and, asc, eq, gt, isNotNull, ne, or, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { files } from '../../../drizzle/schema.ts'
import type { FileOwner } from '../../domain/base/file.ts'
import { insertFact } from '../commands/pending-fact.ts'
import { type Database, transaction } from '../connection/database.ts'
import { findAttachedFile, isLostFile, ofOwner } from './file.ts'

export interface StorageUsed {
  readonly files: number
  readonly bytes: number
}

const STORED = {
  files: sql<number>`count(*)::int`,
  bytes: sql<number>`coalesce(sum(${files.sizeBytes}), 0)::float8`,
}

/** Returns the storage that the vault uses, including detached files, whose bytes remain for a day. */
export async function readStorageUsed(db: Database, vaultId: string): Promise<StorageUsed> {
  const [used] = await db.orm.select(STORED).from(files).where(eq(files.vaultId, vaultId))
  return used ?? { files: 0, bytes: 0 }
}

/** Returns the largest number of files in any vault, and the largest number of bytes in any vault. */
export async function readLargestStorage(db: Database): Promise<StorageUsed> {
  const each = db.orm
    .select({ files: STORED.files.as('files'), bytes: STORED.bytes.as('bytes') })
    .from(files)
    .where(isNotNull(files.vaultId))
    .groupBy(files.vaultId)
    .as('each')
  const [largest] = await db.orm
    .select({
      files: sql<number>`coalesce(max(${each.files}), 0)::int`,
      bytes: sql<number>`coalesce(max(${each.bytes}), 0)::float8`,
    })
    .from(each)
  return largest ?? { files: 0, bytes: 0 }
}

/** Matches files that were stored completely, except lost ones and those that housekeeping is about to delete. */
const isStored = and(
  isNotNull(files.sha256),
  sql`NOT 'lost' = ANY(${files.warnings})`,
  or(ne(files.state, 'detached'), gt(files.keptUntil, sql`clock_timestamp() + interval '10 minutes'`)),
)

const STORED_FILE = {
  id: files.id,
  sha256: sql<Buffer>`${files.sha256}`,
  sizeBytes: sql<number>`coalesce(${files.sizeBytes}, 0)`,
}
type FileChecksum = { readonly id: string; readonly sha256: Buffer; readonly sizeBytes: number }

const PAGE_SIZE = 500

/** Yields pages of the stored files, oldest first. */
export async function* listStoredFiles(db: Database): AsyncGenerator<readonly FileChecksum[]> {
  for (let after: string = NIL; ; ) {
    const page: FileChecksum[] = await db.orm
      .select(STORED_FILE)
      .from(files)
      .where(and(isStored, gt(files.id, after)))
      .orderBy(asc(files.id))
      .limit(PAGE_SIZE)
    yield page
    const last = page[PAGE_SIZE - 1]
    if (!last) return
    after = last.id
  }
}

export async function findStoredFile(db: Database, id: string): Promise<FileChecksum | null> {
  const [row] = await db.orm
    .select(STORED_FILE)
    .from(files)
    .where(and(isStored, eq(files.id, id)))
  return row ?? null
}

export async function countStoredFiles(db: Database): Promise<StorageUsed> {
  const [used] = await db.orm.select(STORED).from(files).where(isStored)
  return used ?? { files: 0, bytes: 0 }
}

/** Runs the work while the file cannot be detached. Returns null if the file is no longer stored. */
export const whileStored = <T>(db: Database, id: string, work: () => Promise<T>): Promise<T | null> =>
  transaction(db, async (tx) => {
    const [locked] = await tx.orm
      .select({ id: files.id })
      .from(files)
      .where(and(isStored, eq(files.id, id)))
      .for('update')
    return locked ? work() : null
  })

/** Marks a file as lost, and inserts the fact that requests it again from the applicant. */
export const markLost = (db: Database, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    const marked = await tx.orm
      .update(files)
      .set({ readable: false, warnings: sql`array_prepend('lost', ${files.warnings})` })
      .where(and(isStored, eq(files.id, id)))
      .returning({ id: files.id })
    const file = marked.length > 0 && (await findAttachedFile(tx, id))
    if (!file) return
    const target = { id: file.entityId, vaultId: file.vaultId }
    const fact = { id: `file-lost-${id}`, kind: 'file_lost' } as const
    if (file.entity === 'kyb') await insertFact(tx, id, { ...target, entity: 'kyb' }, fact)
    else await insertFact(tx, id, { ...target, entity: 'identification' }, { ...fact, fileId: id })
  })

export async function isLost(db: Database, owner: FileOwner, id: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ warnings: files.warnings })
    .from(files)
    .where(and(ofOwner(owner), eq(files.id, id)))
  return row !== undefined && isLostFile(row)
}
