/** Queries for the fields and documents that operators accept or flag. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { reviewMarks } from '../../../drizzle/schema.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { type MarkPlace, markKey, type NewMark, type ReviewMark } from '../../domain/review/review-mark.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

const context = (id: string) => sealedFor('review_marks.comment', id)

const ofOperator = ({ id, vaultId }: EntityRef, userId: string) =>
  and(eq(reviewMarks.vaultId, vaultId), eq(reviewMarks.entityId, id), eq(reviewMarks.userId, userId))

export async function listMarks(db: Database, target: EntityRef, userId: string): Promise<ReviewMark[]> {
  const rows = await db.orm.select().from(reviewMarks).where(ofOperator(target, userId))
  return rows.map(({ id, path, fileId, code, comment, createdAt }) => ({
    path,
    fileId,
    code,
    comment: comment && db.encryption.unseal(comment, context(id)).toString(),
    createdAt,
  }))
}

const KEY = sql`concat_ws('#', ${reviewMarks.path}, ${reviewMarks.fileId}::text)`

export async function deleteMarks(
  tx: Database,
  target: EntityRef,
  userId: string,
  places: readonly MarkPlace[],
): Promise<void> {
  await tx.orm.delete(reviewMarks).where(and(ofOperator(target, userId), inArray(KEY, places.map(markKey))))
}

/** Saves marks. They replace the operator's earlier marks at the same places. */
export async function saveMarks(tx: Database, target: EntityRef, userId: string, marks: readonly NewMark[]) {
  await deleteMarks(tx, target, userId, marks)
  const rows = marks.map(({ path, fileId, code, comment }) => {
    const id = newId()
    return {
      ...{ id, path, fileId, code, userId, vaultId: target.vaultId },
      ...{ entity: target.entity, entityId: target.id },
      comment: comment === null ? null : tx.encryption.seal(comment, context(id)),
    }
  })
  await tx.orm.insert(reviewMarks).values(rows)
}
