/** Queries for the published versions of a vault's profile. */
import { and, desc, eq, isNotNull } from 'drizzle-orm'
import { profiles } from '../../../drizzle/schema.ts'
import type { ProfileDocument } from '../../domain/profile/document.ts'
import type { Database } from '../connection/database.ts'

export interface ProfileVersion {
  readonly version: number
  readonly publishedAt: Date
  readonly publishedBy: string
  readonly appliesFrom: Date
}

const ofVault = (vaultId: string) => and(eq(profiles.vaultId, vaultId), isNotNull(profiles.publishedAt))

/** Returns the newest versions, newest first. */
export async function listVersions(db: Database, vaultId: string, limit = 50): Promise<ProfileVersion[]> {
  const { version, publishedAt, publishedBy, appliesFrom } = profiles
  const rows = await db.orm
    .select({ version, publishedAt, publishedBy, appliesFrom })
    .from(profiles)
    .where(ofVault(vaultId))
    .orderBy(desc(version))
    .limit(limit)
  return rows as ProfileVersion[]
}

/** Returns the document of a version, or of the newest one. Returns null if there is none. */
export async function findDocument(
  db: Database,
  vaultId: string,
  version?: number,
): Promise<ProfileDocument | null> {
  const [row] = await db.orm
    .select({ document: profiles.document })
    .from(profiles)
    .where(and(ofVault(vaultId), version === undefined ? undefined : eq(profiles.version, version)))
    .orderBy(desc(profiles.version))
    .limit(1)
  return row?.document ?? null
}
