/** Rows of uploaded files, of applications and of persons; their bytes are in the blob store under the same id. */

import { and, asc, eq, gt, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import { files, identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { AttachedFile } from '../../domain/attached-file.ts'
import type { FileDetails, FileOwner, StoredFile } from '../../domain/file.ts'
import type { ImageWarning } from '../../domain/identification/person-form.ts'
import { type BlobStore, createBlobStore } from '../../storage/blob-store.ts'
import { FIRST_CURSOR } from '../connection/cursor.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { type Read, sealedFor, strictly } from '../connection/sealed.ts'

export const fileContext = (id: string) => sealedFor('files.name', id)

const ofOwner = (owner: FileOwner) =>
  'kybApplicationId' in owner
    ? eq(files.kybApplicationId, owner.kybApplicationId)
    : eq(files.identificationId, owner.identificationId)

/** Also of those that were taken away, while their bytes stay. */
export const countFiles = (db: Database, owner: FileOwner): Promise<number> =>
  db.orm.$count(files, ofOwner(owner))

export interface StorageUsed {
  readonly files: number
  readonly bytes: number
}

const STORED = {
  files: sql<number>`count(*)::int`,
  bytes: sql<number>`coalesce(sum(${files.sizeBytes}), 0)::float8`,
}

/** Also counts files whose bytes stay for a day. */
export async function readStorageUsed(db: Database, vaultId: string): Promise<StorageUsed> {
  const [used] = await db.orm.select(STORED).from(files).where(eq(files.vaultId, vaultId))
  return used ?? { files: 0, bytes: 0 }
}

/** The most files, and the most bytes, that any vault stores. */
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

/** Inserted before the first byte is written, so that nothing stored is ever unknown. */
export async function insertUploadingFile(
  db: Database,
  file: FileOwner & { readonly id: string; readonly vaultId: string; readonly name: string },
): Promise<void> {
  await db.orm.insert(files).values({
    ...file,
    name: db.encryption.seal(file.name, fileContext(file.id)),
    state: 'uploading',
  })
}

export async function recordStoredFile(
  db: Database,
  id: string,
  stored: { contentType: string; sizeBytes: number; sha256: Buffer; readable: boolean },
): Promise<void> {
  const updated = await db.orm.update(files).set(stored).where(eq(files.id, id)).returning({ id: files.id })
  if (updated.length === 0) throw new Error('a file was removed while it was stored')
}

/** False when the file is no longer there to be attached. */
export async function attachFile(tx: Database, owner: FileOwner, id: string): Promise<boolean> {
  const updated = await tx.orm
    .update(files)
    .set({ state: 'attached' })
    .where(and(eq(files.id, id), ofOwner(owner), ne(files.state, 'detached')))
    .returning({ id: files.id })
  return updated.length > 0
}

/** The documents of an application or a person, by id. */
export async function findAttachedFiles(
  db: Database,
  owner: FileOwner,
): Promise<ReadonlyMap<string, StoredFile>> {
  const rows = await db.orm
    .select()
    .from(files)
    .where(and(ofOwner(owner), eq(files.state, 'attached')))
  return new Map(rows.map((row) => [row.id, storedFile(db, row)]))
}

const storedFile = (db: Database, row: typeof files.$inferSelect): StoredFile => ({
  id: row.id,
  ...fileDetails(db.encryption, row),
  warnings: row.warnings,
  sessionHash: row.sessionHash,
})

/** Returns the details of a file, with its name decrypted. */
export const fileDetails = (
  encryption: Database['encryption'],
  file: Pick<typeof files.$inferSelect, 'id' | 'name' | 'sizeBytes' | 'contentType' | 'sha256'>,
  read: Read = strictly,
): FileDetails => ({
  name: read(() => encryption.open(file.name, fileContext(file.id)).toString(), ''),
  size: file.sizeBytes ?? 0,
  contentType: file.contentType ?? '',
  sha256: file.sha256?.toString('hex') ?? '',
})

/** An attached file, and what it is a document of; null when there is none. */
export async function findAttachedFile(db: Database, id: string): Promise<AttachedFile | null> {
  const [row] = await db.orm
    .select({
      name: files.name,
      kybId: files.kybApplicationId,
      identificationId: files.identificationId,
      vaultId: sql<string>`coalesce(${kybApplications.vaultId}, ${identifications.vaultId})`,
    })
    .from(files)
    .leftJoin(kybApplications, eq(kybApplications.id, files.kybApplicationId))
    .leftJoin(identifications, eq(identifications.id, files.identificationId))
    .where(and(eq(files.id, id), eq(files.state, 'attached')))
  if (!row) return null
  const { kybId, identificationId, vaultId } = row
  return {
    id,
    name: db.encryption.open(row.name, fileContext(id)).toString(),
    entity: kybId === null ? 'identification' : 'kyb',
    entityId: kybId ?? identificationId ?? '',
    vaultId,
  }
}

/** Keeps what a look at the picture found, and which session may see it again. */
export async function recordPhotoInspection(
  db: Database,
  id: string,
  seen: { readonly warnings: ImageWarning[]; readonly sessionHash: Buffer },
): Promise<void> {
  await db.orm.update(files).set(seen).where(eq(files.id, id))
}

/**
 * Nothing names them any more, and their bytes stay for a day: a backup of the database from before names them,
 * and is of use only with a copy of the files, which is made after it. Housekeeping removes them.
 */
export async function detachFiles(tx: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.orm
    .update(files)
    .set({ state: 'detached', keptUntil: sql`clock_timestamp() + interval '1 day'` })
    .where(eqAny(files.id, ids))
}

/** False when the file was attached after all: then its blob must stay. One whose row is gone has none to keep. */
export async function abandonFile(db: Database, id: string): Promise<boolean> {
  await db.orm
    .update(files)
    .set({ state: 'detached' })
    .where(and(eq(files.id, id), ne(files.state, 'attached')))
  return (await db.orm.$count(files, and(eq(files.id, id), eq(files.state, 'attached')))) === 0
}

/** Which of these files have a row, attached or not. */
export async function findKnownFiles(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await db.orm.select({ id: files.id }).from(files).where(eqAny(files.id, ids))
  return rows.map((row) => row.id)
}

export async function hasFiles(db: Database): Promise<boolean> {
  return (await db.orm.select({ id: files.id }).from(files).limit(1)).length > 0
}

/** The bytes of the files, in this folder. */
export const openBlobStore = (db: Database, folder: string): BlobStore =>
  createBlobStore(folder, db.encryption, async () => !(await hasStoredFiles(db)))

/** Whether the bytes of any file were stored whole. */
async function hasStoredFiles(db: Database): Promise<boolean> {
  return (
    (await db.orm.select({ id: files.id }).from(files).where(isNotNull(files.sizeBytes)).limit(1)).length > 0
  )
}

/** The ids of all attached files, in their order. */
export async function* listAttachedFileIds(db: Database): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const rows: { id: string }[] = await db.orm
      .select({ id: files.id })
      .from(files)
      .where(and(eq(files.state, 'attached'), after === null ? undefined : gt(files.id, after)))
      .orderBy(asc(files.id))
      .limit(500)
    for (const { id } of rows) yield id
    after = rows.at(-1)?.id ?? null
    if (after === null) return
  }
}

/** Removes rows of files that are not attached; the others stay. */
export async function deleteUnattachedFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.orm.delete(files).where(and(eqAny(files.id, ids), ne(files.state, 'attached')))
}

const SWEPT = 500

/**
 * Marks files that are over an hour old and were never attached as detached, and gives the ids of detached files
 * behind `after` whose time is over: nothing can attach them any more, so that their blobs may go. The next sweep begins
 * behind them: what resists keeps no other file.
 */
export async function sweepFiles(
  db: Database,
  after: typeof FIRST_CURSOR,
): Promise<{ found: string[]; next: typeof FIRST_CURSOR }> {
  await db.orm
    .update(files)
    .set({ state: 'detached' })
    .where(and(eq(files.state, 'uploading'), lt(files.createdAt, sql`clock_timestamp() - interval '1 hour'`)))
  const rows = await db.orm
    .select({ id: files.id, createdAt: sql<string>`${files.createdAt}::text` })
    .from(files)
    .where(
      and(
        eq(files.state, 'detached'),
        or(isNull(files.keptUntil), lte(files.keptUntil, sql`clock_timestamp()`)),
        sql`(${files.createdAt}, ${files.id}) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(files.createdAt, files.id)
    .limit(SWEPT)
  return { found: rows.map((row) => row.id), next: rows[SWEPT - 1] ?? FIRST_CURSOR }
}
