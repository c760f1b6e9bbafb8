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

/** The maximum number of versions in a list. */
const MAX_LISTED = 50

/** Returns the newest versions, newest first. */
export async function listVersions(db: Database, vaultId: string): Promise<ProfileVersion[]> {
  const { version, publishedAt, publishedBy, appliesFrom } = profiles
  const rows = await db.orm
    .select({ version, publishedAt, publishedBy, appliesFrom })
    .from(profiles)
    .where(ofVault(vaultId))
    .orderBy(desc(version))
    .limit(MAX_LISTED)
  return rows as ProfileVersion[]
}

/** Returns the document of the newest version, or null if there is none. */
export async function findDocument(db: Database, vaultId: string): Promise<ProfileDocument | null> {
  const [row] = await db.orm
    .select({ document: profiles.document })
    .from(profiles)
    .where(ofVault(vaultId))
    .orderBy(desc(profiles.version))
    .limit(1)
  return row?.document ?? null
}
