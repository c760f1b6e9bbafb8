/** Queries for the comment templates of vaults. */
import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { commentTemplates } from '../../../drizzle/schema.ts'
import { type CommentTemplate, MAX_COMMENT_TEMPLATES } from '../../domain/access/comment-template.ts'
import type { Database } from '../connection/database.ts'

const { vaultId: ofVault, createdAt: _, ...COLUMNS } = getTableColumns(commentTemplates)

/** Returns the templates of a vault, sorted by title. */
export const listCommentTemplates = (db: Database, vaultId: string): Promise<CommentTemplate[]> =>
  db.orm
    .select(COLUMNS)
    .from(commentTemplates)
    .where(eq(ofVault, vaultId))
    .orderBy(asc(commentTemplates.title), asc(commentTemplates.id))
    .limit(MAX_COMMENT_TEMPLATES)

export async function findCommentTemplate(
  db: Database,
  vaultId: string,
  id: string,
): Promise<CommentTemplate | null> {
  const [row] = await db.orm
    .select(COLUMNS)
    .from(commentTemplates)
    .where(and(eq(ofVault, vaultId), eq(commentTemplates.id, id)))
  return row ?? null
}

export const countCommentTemplates = (db: Database, vaultId: string): Promise<number> =>
  db.orm.$count(commentTemplates, eq(ofVault, vaultId))

export async function insertCommentTemplate(db: Database, vaultId: string, template: CommentTemplate) {
  await db.orm.insert(commentTemplates).values({ ...template, vaultId })
}

export async function updateCommentTemplate(
  db: Database,
  vaultId: string,
  { id, ...changes }: CommentTemplate,
): Promise<void> {
  await db.orm
    .update(commentTemplates)
    .set(changes)
    .where(and(eq(ofVault, vaultId), eq(commentTemplates.id, id)))
}

export async function deleteCommentTemplate(db: Database, vaultId: string, id: string): Promise<void> {
  await db.orm.delete(commentTemplates).where(and(eq(ofVault, vaultId), eq(commentTemplates.id, id)))
}
