/** Queries for the profiles of vaults. */
import { and, desc, eq, gt, isNull, lte, not, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { identifications, kybApplications, profiles, vaults } from '../../../drizzle/schema.ts'
import type { Later } from '../../domain/decision/profile-change.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { Field, Fields } from '../../domain/fields/field.ts'
import { newestDay } from '../../domain/fields/values.ts'
import { type ApplicantForm, DEFAULT_APPLICANT_FORM } from '../../domain/identification/person-form.ts'
import { DEFAULT_FORM, type Form } from '../../domain/kyb/form.ts'
import {
  applicantFieldsOf,
  countryGroups,
  fieldsOf,
  type ProfileDocument,
  type PublishedProfile,
} from '../../domain/profile/document.ts'
import { hasFormat } from '../../process/number-formats.ts'
import type { Database } from '../connection/database.ts'

const ofVault = (vaultId: string) => eq(profiles.vaultId, vaultId)

const published = ({
  version,
  appliesFrom,
  document,
}: Pick<typeof profiles.$inferSelect, 'version' | 'appliesFrom' | 'document'>): PublishedProfile => ({
  version,
  appliesFrom: appliesFrom as Date,
  document,
})

/** Compares with the clock of the database, because the clocks of processes differ. */
const APPLIES = lte(profiles.appliesFrom, sql`clock_timestamp()`)

/** Returns the version that applies now, or null if the vault has the default profile. */
export async function findProfile(db: Database, vaultId: string): Promise<PublishedProfile | null> {
  const [row] = await db.orm
    .select()
    .from(profiles)
    .where(and(ofVault(vaultId), APPLIES))
    .orderBy(desc(profiles.version))
    .limit(1)
  return row ? published(row) : null
}

interface Draft {
  readonly version: number
  readonly document: ProfileDocument
  readonly updatedAt: Date
}

/** Returns the draft, or null if there is none. With `lock`, prevents changes to it until the transaction ends. */
export async function findDraft(db: Database, vaultId: string, lock = false): Promise<Draft | null> {
  const query = db.orm
    .select()
    .from(profiles)
    .where(and(ofVault(vaultId), isNull(profiles.publishedAt)))
    .orderBy(desc(profiles.version))
    .limit(1)
  const [row] = await (lock ? query.for('update') : query)
  return row ?? null
}

export async function saveDraft(db: Database, vaultId: string, document: ProfileDocument): Promise<Draft> {
  const next = sql`(SELECT coalesce(max(version), 0) + 1 FROM profiles
    WHERE vault_id = ${vaultId} AND published_at IS NOT NULL)`
  const [row] = await db.orm
    .insert(profiles)
    .values({ vaultId, version: next, document, updatedAt: sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: [profiles.vaultId, profiles.version],
      set: { document, updatedAt: sql`clock_timestamp()` },
      setWhere: isNull(profiles.publishedAt),
    })
    .returning()
  if (!row) throw new Error('the draft was published at the same time')
  return row
}

/** Publishes the draft. If `appliesFrom` is undefined, the version applies immediately. */
export async function publishDraft(
  db: Database,
  vaultId: string,
  {
    version,
    appliesFrom,
    by,
  }: { readonly version: number; readonly appliesFrom: Date | undefined; readonly by: string },
): Promise<PublishedProfile> {
  const [row] = await db.orm
    .update(profiles)
    .set({
      publishedAt: sql`clock_timestamp()`,
      publishedBy: by,
      appliesFrom: appliesFrom ?? sql`clock_timestamp()`,
    })
    .where(and(ofVault(vaultId), eq(profiles.version, version), isNull(profiles.publishedAt)))
    .returning()
  if (!row) throw new Error('the draft was published at the same time')
  return published(row)
}

export async function readCurrentForm(db: Database, vaultId: string): Promise<Form> {
  const [row] = await db.orm
    .select({ version: profiles.version, highRisk: vaults.highRiskCountries })
    .from(vaults)
    .leftJoin(profiles, and(eq(profiles.vaultId, vaults.id), APPLIES))
    .where(eq(vaults.id, vaultId))
    .orderBy(sql`${profiles.version} DESC NULLS LAST`)
    .limit(1)
  return readForm(db, vaultId, row?.version ?? 0, row?.highRisk ?? [])
}

/** Returns the version that applies now as an expression, or 0 for the default profile. */
export const currentVersion = (vaultId: string): SQL<number> =>
  sql`(SELECT coalesce(max(version), 0) FROM profiles WHERE vault_id = ${vaultId} AND ${APPLIES})`

interface ProfileFields extends Pick<Form, 'company' | 'person'> {
  readonly applicant: Pick<ApplicantForm, 'details' | 'document' | 'photos'>
}

/** The fields of published versions, which do not change. */
const known = new LRUCache<string, ProfileFields>({ max: 500 })

/** Returns the form of applications with this version. `highRisk` are the vault's countries with a high risk. */
export async function readForm(
  db: Database,
  vaultId: string,
  version: number,
  highRisk: readonly string[],
): Promise<Form> {
  const fields = version === 0 ? DEFAULT_FORM : await readProfileFields(db, vaultId, version)
  const { company, person } = fields
  const today = newestDay(new Date())
  return { version, company, person, groups: countryGroups(highRisk), today, hasFormat }
}

/** Returns the form of people with this version. `highRisk` are the vault's countries with a high risk. */
export async function readApplicantForm(
  db: Database,
  vaultId: string,
  version: number,
  highRisk: readonly string[],
): Promise<ApplicantForm> {
  if (version === 0) return DEFAULT_APPLICANT_FORM
  const { applicant } = await readProfileFields(db, vaultId, version)
  const today = newestDay(new Date())
  return { version, ...applicant, groups: countryGroups(highRisk), today, hasFormat }
}

/**
 * Returns the file lists with these names that only versions before this one have, as the newest of these versions has
 * them. `fieldsIn` selects the fields of a version.
 */
export async function readRetiredLists(
  db: Database,
  vaultId: string,
  before: number,
  fieldsIn: (fields: ProfileFields) => Fields,
  names: readonly string[],
): Promise<Fields> {
  const found: Record<string, Field> = {}
  for (let version = before - 1; version > 0 && names.some((name) => !(name in found)); version -= 1) {
    const fields = fieldsIn(await readProfileFields(db, vaultId, version))
    for (const name of names) {
      const { type, texts, section } = fields[name] ?? {}
      if (type === 'files' && texts && section && !(name in found))
        found[name] = { type, texts, section, isRetired: true }
    }
  }
  return found
}

interface LaterVersion {
  readonly version: number
  /** In milliseconds since 1970. */
  readonly appliesFrom: number
  readonly isDated: boolean
}

/** The records that can move to a later version. The conditions are those of the partial indexes. */
const MOVABLE = {
  kyb: { table: kybApplications, condition: sql`${kybApplications.status} = 'open'` },
  identification: {
    table: identifications,
    condition: sql`${identifications.waitingOn} = 'applicant' AND ${identifications.verification} = 'initiated'
      AND ${identifications.erasedAt} IS NULL`,
  },
} as const

/** Tests whether a newer version applies when this one does, or now. `profile` is the table or its alias. */
const isReplaced = (profile: string): SQL =>
  sql.raw(`EXISTS (SELECT FROM profiles q WHERE q.vault_id = ${profile}.vault_id AND q.version > ${profile}.version
    AND q.applies_from <= greatest(${profile}.applies_from, clock_timestamp()))`)

/**
 * Returns the versions to which a record can move, as an expression: those that apply later, unless another one replaces
 * them before, and the one that applies now. A version that was published without a date applies within the same second.
 */
export function laterVersions(entity: Entity): SQL<LaterVersion[]> {
  const { table, condition } = MOVABLE[entity]
  return sql`(
  SELECT coalesce(json_agg(json_build_object('version', p.version,
    'appliesFrom', floor(extract(epoch FROM p.applies_from) * 1000), 'isDated', p.applies_from > p.published_at + interval '1 second')
    ORDER BY p.version), '[]')
  FROM profiles p
  WHERE p.vault_id = ${table.vaultId} AND p.version > ${table.profileVersion}
    AND p.applies_from IS NOT NULL AND ${condition} AND NOT ${isReplaced('p')})`
}

export const readLaterForms = <F extends { readonly version: number }>(
  later: readonly LaterVersion[],
  read: (version: number) => Promise<F>,
): Promise<Later<F>[]> =>
  Promise.all(
    later.map(async ({ version, appliesFrom, isDated }) => ({
      form: await read(version),
      appliesFrom: new Date(appliesFrom),
      isDated,
    })),
  )

/**
 * Returns the records that can move to a later version whose date has come, with IDs above `after`. Versions that were
 * published without a date do not count.
 */
export function findAppliedProfiles(db: Database, entity: Entity, after: string, limit: number) {
  const { table, condition } = MOVABLE[entity]
  return db.orm
    .select({ id: table.id, vaultId: table.vaultId, version: profiles.version })
    .from(table)
    .innerJoin(
      profiles,
      and(
        eq(profiles.vaultId, table.vaultId),
        gt(profiles.version, table.profileVersion),
        gt(profiles.appliesFrom, sql`${profiles.publishedAt} + interval '1 second'`),
        APPLIES,
        not(isReplaced('profiles')),
      ),
    )
    .where(and(condition, gt(table.id, after)))
    .orderBy(table.id)
    .limit(limit)
}

async function readProfileFields(db: Database, vaultId: string, version: number): Promise<ProfileFields> {
  const key = `${vaultId}:${version}`
  const fields = known.get(key)
  if (fields) return fields
  const [row] = await db.orm
    .select({ document: profiles.document })
    .from(profiles)
    .where(and(ofVault(vaultId), eq(profiles.version, version)))
  if (!row) throw new Error(`the vault has no profile with version ${version}`)
  const read = { ...fieldsOf(row.document), applicant: applicantFieldsOf(row.document) }
  known.set(key, read)
  return read
}
