/** Queries for the published versions of a vault's profile. */
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'
import { profiles } from '../../../drizzle/schema.ts'
import type { PublishedRow } from '../../domain/profile/check.ts'
import { PARTS, type ProfileDocument } from '../../domain/profile/document.ts'
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

/** Returns the rows of all published versions, each once for each type. */
export async function readPublishedRows(db: Database, vaultId: string): Promise<PublishedRow[]> {
  const rows = await db.orm.execute<Record<'part' | 'path' | 'type' | 'max_age' | 'expires', unknown>>(sql`
    SELECT DISTINCT part, member ->> 'path' AS path, member ->> 'type' AS type,
      member ->> 'max_age' AS max_age, (member ->> 'expires')::boolean AS expires
    FROM profiles, unnest(${sql.param([...PARTS])}::text[]) AS part,
      jsonb_array_elements(document -> part -> 'rows') AS member
    WHERE vault_id = ${vaultId} AND published_at IS NOT NULL`)
  return rows.map(
    ({ max_age: maxAge, expires, ...row }) =>
      ({ ...row, max_age: maxAge ?? undefined, expires: expires ?? undefined }) as PublishedRow,
  )
}
