/** Rows of uploaded files, of applications and of persons; their bytes are in the blob store under the same id. */
import { and, eq, getTableColumns, lt, ne, sql } from 'drizzle-orm'
import { files, identifications } from '../../drizzle/schema.ts'
import type { Ref } from '../domain/entity.ts'
import type { ImageWarning } from '../domain/person-form.ts'
import { isAnyOf } from './any-of.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'

export const fileContext = (id: string) => sealedFor('files.name', id)

/** What a file is a document of. */
export type FileOwner = { readonly kybApplicationId: string } | { readonly identificationId: string }

const ofOwner = (owner: FileOwner) =>
  'kybApplicationId' in owner
    ? eq(files.kybApplicationId, owner.kybApplicationId)
    : eq(files.identificationId, owner.identificationId)

/** Inserted before the first byte is written, so that nothing stored is ever unknown. */
export async function insertUploadingFile(
  db: Database,
  file: FileOwner & { readonly id: string; readonly name: string },
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
  stored: { contentType: string; size: number; sha256: Buffer },
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

export interface StoredFile {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly contentType: string
  readonly warnings: readonly ImageWarning[]
  readonly sessionHash: Buffer | null
}

/** The documents of a person, by id. */
export async function findFilesOfPerson(
  db: Database,
  { id, vaultId }: Ref,
): Promise<ReadonlyMap<string, StoredFile>> {
  const rows = await db.orm
    .select(getTableColumns(files))
    .from(files)
    .innerJoin(identifications, eq(identifications.id, files.identificationId))
    .where(
      and(eq(files.identificationId, id), eq(identifications.vaultId, vaultId), eq(files.state, 'attached')),
    )
  return new Map(
    rows.map(({ id, name, size, contentType, warnings, sessionHash }) => [
      id,
      {
        id,
        name: db.encryption.open(name, fileContext(id)).toString(),
        size: size ?? 0,
        contentType: contentType ?? '',
        warnings,
        sessionHash,
      },
    ]),
  )
}

/** Keeps what a look at the picture found, and which session may see it again. */
export async function recordLook(
  db: Database,
  id: string,
  seen: { readonly warnings: ImageWarning[]; readonly sessionHash: Buffer },
): Promise<void> {
  await db.orm.update(files).set(seen).where(eq(files.id, id))
}

/** What pages tell of attached files besides their names, by id. */
export async function attachedFiles(
  db: Database,
  owner: FileOwner,
): Promise<ReadonlyMap<string, { readonly size: number; readonly sha256: string }>> {
  const rows = await db.orm
    .select({ id: files.id, size: files.size, sha256: files.sha256 })
    .from(files)
    .where(and(ofOwner(owner), eq(files.state, 'attached')))
  return new Map(
    rows.map(({ id, size, sha256 }) => [id, { size: size ?? 0, sha256: sha256?.toString('hex') ?? '' }]),
  )
}

/** Their blobs are removed after the commit, by whoever detached them or by housekeeping. */
export async function detachFiles(tx: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.orm.update(files).set({ state: 'detached' }).where(isAnyOf(files.id, ids))
}

/** False when the file was attached after all: then its blob must stay. One whose row is gone has none to keep. */
export async function abandonFile(db: Database, id: string): Promise<boolean> {
  await db.orm
    .update(files)
    .set({ state: 'detached' })
    .where(and(eq(files.id, id), ne(files.state, 'attached')))
  return (await db.orm.$count(files, and(eq(files.id, id), eq(files.state, 'attached')))) === 0
}

/** Removes rows of files that are not attached; the others stay. */
export async function deleteUnattachedFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.orm.delete(files).where(and(isAnyOf(files.id, ids), ne(files.state, 'attached')))
}

/**
 * Marks files that are over an hour old and were never attached as detached, and gives the ids of all
 * detached files: nothing can attach them any more, so that their blobs may go.
 */
export async function sweepFiles(db: Database): Promise<string[]> {
  await db.orm
    .update(files)
    .set({ state: 'detached' })
    .where(and(eq(files.state, 'uploading'), lt(files.createdAt, sql`clock_timestamp() - interval '1 hour'`)))
  const rows = await db.orm.select({ id: files.id }).from(files).where(eq(files.state, 'detached')).limit(500)
  return rows.map((row) => row.id)
}
