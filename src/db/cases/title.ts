/** Queries for the titles of applications and identifications in lists. They decrypt only the rows of one page. */

import { sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { KybContent } from '../../domain/kyb/fields.ts'
import { fullNameOf } from '../../domain/names/full-name.ts'
import type { Encryption } from '../../storage/encryption.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'

/**
 * Adds the name of each company or person. The name is null if it is unknown or cannot be decrypted. Only the page of
 * the entity reports the damage.
 */
export async function addTitles<T extends { readonly kind: Entity; readonly id: string }>(
  db: Database,
  entries: readonly T[],
): Promise<(T & { title: string | null })[]> {
  const idsOf = (kind: Entity) => entries.filter((entry) => entry.kind === kind).map(({ id }) => id)
  const titles = new Map([
    ...(await companyNames(db, 'id', idsOf('kyb'))),
    ...(await identificationNames(db, idsOf('identification'))),
  ])
  return entries.map((entry) => ({ ...entry, title: titles.get(entry.id) || null }))
}

interface Titled {
  readonly kind: Entity
  readonly id: string
  readonly title: string | null
}

/** Returns the vault's cases among these IDs with their titles, keyed by ID. */
export async function findTitles(
  db: Database,
  vaultId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Titled>> {
  if (ids.length === 0) return new Map()
  const found = sql`WHERE vault_id = ${vaultId} AND id = ANY(${sql.param(ids)}::uuid[])`
  const rows = await db.orm.execute<{ kind: Entity; id: string }>(sql`
    SELECT 'kyb' AS kind, id FROM kyb_applications ${found}
    UNION ALL SELECT 'identification', id FROM identifications ${found}`)
  return new Map((await addTitles(db, rows)).map((each) => [each.id, each]))
}

async function identificationNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { id, kind, profile } = identifications
  const rows = await db.orm.select({ id, kind, profile }).from(identifications).where(eqAny(id, ids))
  const companies = rows.filter((row) => row.kind === 'company').map((row) => row.id)
  const names = await companyNames(db, 'identificationId', companies)
  return new Map(
    rows.map((row) => {
      const context = sealedFor('identifications.profile', row.id)
      const opened = orNull(() => db.encryption.unsealJson<Profile>(row.profile, context))
      const { name = names.get(row.id), surname } = opened ?? {}
      return [row.id, fullNameOf({ name, surname })]
    }),
  )
}

/**
 * Returns the names of companies from their applications, keyed by the ID of the application or of the identification.
 */
async function companyNames(
  db: Database,
  by: 'id' | 'identificationId',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { identificationId } = kybApplications
  const rows = await db.orm
    .select({ ...COMPANY_NAME, identificationId })
    .from(kybApplications)
    .where(eqAny(kybApplications[by], ids))
  return new Map(rows.map((row) => [row[by], orNull(() => unsealCompanyName(db.encryption, row)) ?? '']))
}

export const companyNameContext = (id: string) => sealedFor('kyb_applications.company_name', id)

export const COMPANY_NAME = {
  id: kybApplications.id,
  name: kybApplications.companyName,
  /** The content, if an earlier version wrote the row without a name. Otherwise null. */
  content: sql<Buffer | null>`CASE WHEN ${kybApplications.companyName} IS NULL THEN ${kybApplications.content} END`,
}

/** Returns the company's name, or an empty text if the name is not known yet. */
export function unsealCompanyName(
  encryption: Encryption,
  { id, name, content }: { id: string; name: Buffer | null; content: Buffer | null },
): string {
  if (name) return encryption.unseal(name, companyNameContext(id)).toString()
  if (!content) return ''
  const { nature_of_business } = encryption.unsealJson<KybContent>(
    content,
    sealedFor('kyb_applications.content', id),
  )
  return nature_of_business.legal_company_name ?? ''
}
