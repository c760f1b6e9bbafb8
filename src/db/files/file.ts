/**
 * Queries for uploaded files of applications and people. The blob store contains the bytes of a file under the same ID.
 */

import { and, eq, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { files, identifications, kybApplications } from '../../../drizzle/schema.ts'
import type {
  DocumentWarning,
  FileDetails,
  FileOwner,
  ImageWarning,
  Side,
  StoredFile,
} from '../../domain/base/file.ts'
import type { AttachedFile } from '../../domain/entity/attached-file.ts'
import type { BucketLimits } from '../../storage/blob-bucket.ts'
import {
  type BlobSettings,
  type BlobStore,
  connectByteStores,
  createBlobStore,
} from '../../storage/blob-store.ts'
import { FIRST_CURSOR } from '../connection/cursor.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { type Read, sealedFor, strictly } from '../connection/sealed.ts'

export const fileContext = (id: string) => sealedFor('files.name', id)

export const ofOwner = (owner: FileOwner) =>
  'kybApplicationId' in owner
    ? eq(files.kybApplicationId, owner.kybApplicationId)
    : eq(files.identificationId, owner.identificationId)

/** Counts the owner's files, including detached files whose bytes are still stored. */
export const countFiles = (db: Database, owner: FileOwner): Promise<number> =>
  db.orm.$count(files, ofOwner(owner))

/**
 * Inserts the row of a file before the first byte is written, so that every blob has a row. The name is empty, because it
 * depends on the type.
 */
export async function insertUploadingFile(
  db: Database,
  file: FileOwner & { readonly id: string; readonly vaultId: string },
): Promise<void> {
  await db.orm.insert(files).values({
    ...file,
    name: db.encryption.seal('', fileContext(file.id)),
    state: 'uploading',
  })
}

export async function recordStoredFile(
  db: Database,
  id: string,
  stored: {
    name: string
    contentType: string
    sizeBytes: number
    sha256: Buffer
    readable: boolean
    warnings: DocumentWarning[]
  },
): Promise<void> {
  const updated = await db.orm
    .update(files)
    .set({ ...stored, name: db.encryption.seal(stored.name, fileContext(id)) })
    .where(eq(files.id, id))
    .returning({ id: files.id })
  if (updated.length === 0) throw new Error('the file was deleted while it was being stored')
}

/** Stores the side of an identity card that the file shows, or null if the file is complete. */
export async function recordSide(db: Database, owner: FileOwner, id: string, side: Side | null) {
  await db.orm
    .update(files)
    .set({ side })
    .where(and(eq(files.id, id), ofOwner(owner)))
}

/** Attaches a file to its owner. Returns false if the file is detached or deleted. */
export async function attachFile(tx: Database, owner: FileOwner, id: string): Promise<boolean> {
  const updated = await tx.orm
    .update(files)
    .set({ state: 'attached' })
    .where(and(eq(files.id, id), ofOwner(owner), inArray(files.state, ['uploading', 'attached'])))
    .returning({ id: files.id })
  return updated.length > 0
}

/** The states of files that operators see. Removed files are withheld from everyone else. */
export const FOR_OPERATORS = ['attached', 'withheld'] as const
type States = readonly ('attached' | 'withheld')[]

/** Returns the attached files of an application or a person, keyed by ID. */
export async function findAttachedFiles(
  db: Database,
  owner: FileOwner,
  states: States = ['attached'],
): Promise<ReadonlyMap<string, StoredFile>> {
  const rows = await db.orm
    .select()
    .from(files)
    .where(and(ofOwner(owner), inArray(files.state, states)))
  return new Map(rows.map((row) => [row.id, storedFile(db, row)]))
}

const storedFile = (db: Database, row: typeof files.$inferSelect): StoredFile => ({
  id: row.id,
  ...fileDetails(db.encryption, row),
  sessionHash: row.sessionHash,
})

/** The columns of a file that its details require. */
export type FileRow = Pick<
  typeof files.$inferSelect,
  'id' | 'name' | 'side' | 'sizeBytes' | 'contentType' | 'sha256' | 'readable' | 'warnings'
>

export const fileDetails = (
  encryption: Database['encryption'],
  file: FileRow,
  read: Read = strictly,
): FileDetails => ({
  name: read(() => encryption.unseal(file.name, fileContext(file.id)).toString(), ''),
  side: file.side,
  size: file.sizeBytes ?? 0,
  contentType: file.contentType ?? '',
  sha256: file.sha256?.toString('hex') ?? '',
  warnings: file.readable || isLostFile(file) ? file.warnings : ['unreadable', ...file.warnings],
})

export const isLostFile = ({ warnings }: Pick<typeof files.$inferSelect, 'warnings'>) =>
  warnings.includes('lost')

/** Returns an attached file and its owner, or null if there is no such file. */
export async function findAttachedFile(
  db: Database,
  id: string,
  states: States = ['attached'],
): Promise<AttachedFile | null> {
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
    .where(and(eq(files.id, id), inArray(files.state, states)))
  if (!row) return null
  const { kybId, identificationId, vaultId } = row
  return {
    id,
    name: db.encryption.unseal(row.name, fileContext(id)).toString(),
    entity: kybId === null ? 'identification' : 'kyb',
    entityId: kybId ?? identificationId ?? '',
    vaultId,
  }
}

/** Stores the warnings of a photo inspection, if there was one, and the session in which the photo may be viewed. */
export async function recordPhotoInspection(
  db: Database,
  id: string,
  seen: { readonly warnings?: ImageWarning[] | undefined; readonly sessionHash: Buffer | null },
): Promise<void> {
  await db.orm.update(files).set(seen).where(eq(files.id, id))
}

/**
 * Detaches the files and returns their IDs. Their blobs must be removed after the commit, or housekeeping removes them
 * after a day, because a backup that copies the database first still refers to them.
 */
export async function detachFiles(tx: Database, which: SQL | undefined, removal: 'now' | 'for a day') {
  const detached = await tx.orm
    .update(files)
    .set(
      removal === 'now'
        ? { state: 'detached', sha256: null, keptUntil: null }
        : { state: 'detached', keptUntil: sql`clock_timestamp() + interval '1 day'` },
    )
    .where(which)
    .returning({ id: files.id })
  return detached.map(({ id }) => id)
}

/** Abandons an upload and returns true. If the file was attached, returns false, because its blob must then remain. */
export async function abandonFile(db: Database, id: string): Promise<boolean> {
  const own = eq(files.id, id)
  await detachUploads(db, own)
  return (await db.orm.$count(files, and(own, inArray(files.state, FOR_OPERATORS)))) === 0
}

const detachUploads = (db: Database, which: SQL) =>
  db.orm
    .update(files)
    .set({ state: 'detached' })
    .where(and(eq(files.state, 'uploading'), which))

/** Returns the IDs that have a row, whether the file is attached or not. */
export async function findKnownFiles(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await db.orm.select({ id: files.id }).from(files).where(eqAny(files.id, ids))
  return rows.map((row) => row.id)
}

export async function hasFiles(db: Database): Promise<boolean> {
  return (await db.orm.select({ id: files.id }).from(files).limit(1)).length > 0
}

/** Opens the store that contains the bytes of files. */
export const connectBlobStore = (db: Database, settings: BlobSettings, limits?: BucketLimits): BlobStore =>
  createBlobStore(connectByteStores(settings, limits), db.encryption, async () => !(await hasStoredFiles(db)))

async function hasStoredFiles(db: Database): Promise<boolean> {
  return (
    (await db.orm.select({ id: files.id }).from(files).where(isNotNull(files.sizeBytes)).limit(1)).length > 0
  )
}

const SWEPT = 500

export async function deleteDetachedFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.orm.delete(files).where(and(eqAny(files.id, ids), eq(files.state, 'detached')))
}

/**
 * Detaches files that are over an hour old and were never attached. Returns a page of detached files whose retention
 * has expired, so that their blobs can be removed. The next run continues after this page, so that a file that cannot
 * be removed does not block the others.
 */
export async function sweepFiles(
  db: Database,
  after: typeof FIRST_CURSOR,
): Promise<{ found: string[]; next: typeof FIRST_CURSOR }> {
  await detachUploads(db, lt(files.createdAt, sql`clock_timestamp() - interval '1 hour'`))
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
