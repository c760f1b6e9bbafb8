/**
 * Queries for the content of an application at its latest decision, with file names. Later changes are found by
 * comparison, because commands contain only the new values.
 */

import { kybApplications } from '../../../drizzle/schema.ts'
import type { KybContent } from '../../domain/kyb/fields.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'
import { isKybOfVault } from './kyb-application.ts'

export interface DecidedContent {
  readonly content: KybContent
  readonly fileNames: Readonly<Record<string, string>>
}

const context = (id: string) => sealedFor('kyb_applications.decided_content', id)

export function sealDecided(
  db: Database,
  { id, content, files }: Pick<KybApplication, 'id' | 'content' | 'files'>,
): Buffer {
  const fileNames = Object.fromEntries([...files].map(([fileId, { name }]) => [fileId, name]))
  return sealDecidedContent(db, id, { content, fileNames })
}

export const sealDecidedContent = ({ encryption }: Database, id: string, decided: DecidedContent): Buffer =>
  encryption.sealJson(decided, context(id))

/** Returns the content at the latest decision, or null if no decision has been made. */
export async function readDecided(db: Database, vaultId: string, id: string): Promise<DecidedContent | null> {
  const { decidedContent } = kybApplications
  const [row] = await db.orm.select({ decidedContent }).from(kybApplications).where(isKybOfVault(vaultId, id))
  return row?.decidedContent ? db.encryption.unsealJson(row.decidedContent, context(id)) : null
}
