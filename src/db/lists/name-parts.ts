/** Queries that write name parts: keyed hashes of the beginnings of words (docs/decisions/0043-name-part-hashes.md). */

import { and, isNull, type SQL, sql } from 'drizzle-orm'
import { beneficiaries, identifications, kybApplications, nameParts } from '../../../drizzle/schema.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Beneficiary, KybContent } from '../../domain/kyb/fields.ts'
import { fullNameOf } from '../../domain/names/full-name.ts'
import { earlierNamesOfPerson, removedNames } from '../../domain/review/removed.ts'
import { findKeptValuesOf } from '../cases/kept-value.ts'
import { inBatches } from '../connection/batches.ts'
import { createRowArrays } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'
import { namePartsOf } from './name-words.ts'

/** Returns the names by which a search finds an application, which are those of the company and its beneficiaries. */
export const namesOfApplication = ({
  nature_of_business: company,
  beneficiaries: { beneficiaries_list: people },
}: Pick<KybContent, 'nature_of_business' | 'beneficiaries'>): string[] =>
  [company.legal_company_name, company.comercial_name, ...people.map((each) => each.full_name)].filter(isText)

export const namesOfPerson = (profile: Profile): string[] => [fullNameOf(profile)].filter(isText)

const isText = (value: string | null | undefined): value is string => Boolean(value)

/** A hash of seven bytes takes eight bytes in each row and index entry, because a length byte precedes it. */
const HASH_BYTES = 7

/** Returns the hashes as hexadecimal text, because the driver can send a list of texts. */
export const hashesOf = ({ encryption }: Database, parts: Iterable<string>): string[] =>
  Array.from(parts, (part) => encryption.hash(part, 'name_part').subarray(0, HASH_BYTES).toString('hex'))

type Named = Readonly<Record<'id' | 'vaultId', string>>
type Row = Readonly<Record<'entityId' | 'vaultId' | 'hash', string>>

const rowsOf = ({ id, vaultId }: Named, hashes: readonly string[]): Row[] =>
  hashes.map((hash) => ({ entityId: id, vaultId, hash }))

const ROWS = createRowArrays<Row>('new', { entity_id: 'uuid', vault_id: 'uuid', hash: 'text' })

const insertOf = (rows: readonly Row[]): SQL => sql`
  INSERT INTO name_parts (entity_id, vault_id, part_hash)
  SELECT entity_id, vault_id, decode(hash, 'hex') FROM ${ROWS.of(rows)} ON CONFLICT DO NOTHING`

/** Returns an insert for a combined statement, or an empty list if there is no name. */
export function namePartInserts(tx: Database, entity: Named, names: readonly string[]): SQL[] {
  const rows = rowsOf(entity, hashesOf(tx, namePartsOf(names)))
  return rows.length === 0 ? [] : [insertOf(rows)]
}

/** Deletes the parts that only the earlier names have, and inserts those that only the later names have. */
export async function saveNameParts(
  tx: Database,
  entity: Named,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const [had, has] = [namePartsOf(before), namePartsOf(after)]
  const [gone, added] = [hashesOf(tx, without(had, has)), hashesOf(tx, without(has, had))]
  await tx.orm.execute(sql`
    WITH gone AS (
      DELETE FROM name_parts WHERE entity_id = ${entity.id}
        AND part_hash IN (SELECT decode(hash, 'hex') FROM unnest(${sql.param(gone)}::text[]) AS hash))
    ${insertOf(rowsOf(entity, added))}`)
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...all].filter((part) => !others.has(part))

export const deleteNameParts = (tx: Database, ids: readonly string[]) =>
  tx.orm.delete(nameParts).where(eqAny(nameParts.entityId, ids))

/** Inserts the name parts of entities that an earlier version wrote. */
export async function insertNameParts(tx: Database, entities: readonly Named[]): Promise<void> {
  const names = await readNames(
    tx,
    entities.map(({ id }) => id),
  )
  const hashesOfNames = ({ id }: Named) => hashesOf(tx, namePartsOf(names.get(id)?.names ?? []))
  await tx.orm.execute(insertOf(entities.flatMap((entity) => rowsOf(entity, hashesOfNames(entity)))))
}

const FILLED = { batchSize: 2_000, statements: 100 }

/** Sets the vault in rows that an earlier version wrote. Returns their number. */
export const setVaultsOfNameParts = (db: Database): Promise<number> =>
  inBatches(FILLED, (limit) => setVaults(db, limit))

async function setVaults(db: Database, limit: number): Promise<number> {
  const { count } = await db.orm.execute(sql`
    WITH found AS (
      SELECT parts.part_hash, parts.entity_id, entities.vault_id FROM name_parts AS parts
      CROSS JOIN LATERAL (
        SELECT vault_id FROM kyb_applications WHERE id = parts.entity_id
        UNION ALL SELECT vault_id FROM identifications WHERE id = parts.entity_id) AS entities
      WHERE parts.vault_id IS NULL ORDER BY parts.entity_id LIMIT ${limit} FOR UPDATE OF parts SKIP LOCKED)
    UPDATE name_parts AS parts SET vault_id = found.vault_id FROM found
    WHERE parts.part_hash = found.part_hash AND parts.entity_id = found.entity_id`)
  return count
}

interface Names {
  readonly names: readonly string[]
  readonly title: string | null
}

/**
 * Returns the names of applications and identifications, with those that a hold keeps. Omits those that cannot be
 * decrypted.
 */
export async function readNames(db: Database, ids: readonly string[]): Promise<Map<string, Names>> {
  const kept = await findKeptValuesOf(db, ids)
  return new Map([
    ...(await readNamesOfApplications(db, ids, kept)),
    ...(await readNamesOfPersons(db, ids, kept)),
  ])
}

type Kept = Awaited<ReturnType<typeof findKeptValuesOf>>

async function readNamesOfApplications({ orm, encryption }: Database, ids: readonly string[], kept: Kept) {
  const { id, content } = kybApplications
  const { id: personId, kybApplicationId: kybId, person, removedAt } = beneficiaries
  const rows = await orm.select({ id, content }).from(kybApplications).where(eqAny(id, ids))
  const people = await orm
    .select({ id: personId, kybId, person })
    .from(beneficiaries)
    .where(and(eqAny(kybId, ids), isNull(removedAt)))
  const personOf = (row: (typeof people)[number]) =>
    orNull(() => encryption.unsealJson<Beneficiary>(row.person, sealedFor('beneficiaries.person', row.id))) ??
    []
  const companyOf = (row: (typeof rows)[number]) =>
    orNull(() =>
      encryption.unsealJson<KybContent>(row.content, sealedFor('kyb_applications.content', row.id)),
    )?.nature_of_business ?? {}
  return rows.map((row): [string, Names] => {
    const list = people.filter((each) => each.kybId === row.id).flatMap(personOf)
    const company = companyOf(row)
    const content = { nature_of_business: company, beneficiaries: { beneficiaries_list: list } }
    const names = [...namesOfApplication(content), ...removedNames(kept.get(row.id) ?? [])]
    return [row.id, { names, title: company.legal_company_name || null }]
  })
}

async function readNamesOfPersons({ orm, encryption }: Database, ids: readonly string[], kept: Kept) {
  const { id, profile } = identifications
  const rows = await orm.select({ id, profile }).from(identifications).where(eqAny(id, ids))
  return rows.map((row): [string, Names] => {
    const context = sealedFor('identifications.profile', row.id)
    const opened = orNull(() => encryption.unsealJson<Profile>(row.profile, context)) ?? {}
    const names = namesOfPerson(opened)
    const earlier = earlierNamesOfPerson(opened, kept.get(row.id) ?? [])
    return [row.id, { names: [...names, ...earlier], title: names[0] ?? null }]
  })
}
