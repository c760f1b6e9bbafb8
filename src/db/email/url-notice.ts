/** Queries for emails about a webhook URL to the administrators of its vault. */
import { and, eq, sql } from 'drizzle-orm'
import { vaults, webhookUrls } from '../../../drizzle/schema.ts'
import type { UrlNotice } from '../../domain/email/notice.ts'
import { listSeatAdministrators } from '../access/user.ts'
import type { Database } from '../connection/database.ts'
import { emailInsert } from './email.ts'

/** Writes an email to each administrator, if the vault sends emails. */
export async function insertUrlNotices(
  tx: Database,
  { vaultId, id: webhookUrlId }: { readonly vaultId: string; readonly id: string },
  notice: UrlNotice,
): Promise<void> {
  const [vault] = await tx.orm
    .select({ id: vaults.id })
    .from(vaults)
    .where(and(eq(vaults.id, vaultId), vaults.emails))
  if (!vault) return
  const administrators = await listSeatAdministrators(tx, vaultId)
  for (const { id: userId, email: address } of administrators)
    await emailInsert(tx, { vaultId, webhookUrlId, userId, notice, address })
}

/** Returns the host of a webhook URL, and whether its failure has been reported and has not ended. */
export async function getReportedUrl(db: Database, id: string) {
  const [row] = await db.orm
    .select({ url: webhookUrls.url, isFailing: sql<boolean>`failing_reported_at IS NOT NULL` })
    .from(webhookUrls)
    .where(eq(webhookUrls.id, id))
  return row ? { host: new URL(row.url).host, isFailing: row.isFailing } : null
}
