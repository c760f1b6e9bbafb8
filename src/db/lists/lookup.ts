/**
 * Queries that find entities by exact email or name, through keyed hashes, or by the client's ID. Encrypted values
 * cannot be searched.
 */
import { eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { identifications, keptValues, kybApplications } from '../../../drizzle/schema.ts'
import { normalised as normalisedLetters } from '../../domain/base/combining-marks.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Beneficiary, KybContent } from '../../domain/kyb/fields.ts'
import { spellName, spellNameInAllWays } from '../../domain/names/name.ts'
import type { Lookup, TitledEntry } from '../../domain/review/queue.ts'
import type { Encryption } from '../../storage/encryption.ts'
import { addTitles } from '../cases/title.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { hasRiskLevel, isOfCountry } from './filter-conditions.ts'
import { ENTRY, readEntries } from './queue.ts'

type Wanted = Pick<Lookup, 'email' | 'name' | 'surname'>

/** Normalises a text, so that different spellings become equal. Removes invisible characters. */
const normalised = (text: string): string => normalisedLetters(text).replace(/\s+/g, ' ').trim().toLowerCase()
/**
 * Normalises a registration number, because registers differ in punctuation and leading zeros. A text without a digit,
 * such as "none", is not a number.
 */
const normalisedNumber = (text: string): string =>
  /\p{N}/u.test(text)
    ? normalised(text)
        .replace(/[^\p{L}\p{N}]/gu, '')
        .replace(/^0+/, '')
    : ''

type NameParts = readonly [name: string, surname: string]

/** Returns the hash of a name in one spelling, or null if the name is empty. */
const hashName = ({ hash }: Encryption, parts: NameParts): Buffer | null =>
  parts.some(Boolean) ? hash(JSON.stringify(parts), 'lookup_name') : null

const hashEmail = ({ hash }: Encryption, email: string | undefined): Buffer | null => {
  const address = normalised(email ?? '')
  return address ? hash(address, 'lookup_email') : null
}

/** Returns the hashes to store with a profile. The hash of an empty value is null. */
const hashes = (encryption: Encryption, { email, name = '', surname = '' }: Wanted) => ({
  emailHash: hashEmail(encryption, email),
  nameHash:
    hashName(encryption, [spellName(name), spellName(surname)]) ??
    hashName(encryption, [normalised(name), normalised(surname)]),
})

/**
 * Returns the hashes of a name to search for: in each spelling, and as earlier versions stored it. Empty if nothing of
 * the name is visible.
 */
function hashesOfName(encryption: Encryption, { name = '', surname = '' }: Wanted): Buffer[] {
  const spellings = spellNameInAllWays(name).flatMap((first) =>
    spellNameInAllWays(surname).map((last): NameParts => [first, last]),
  )
  return [...spellings, [normalised(name), normalised(surname)] as const].flatMap(
    (parts) => hashName(encryption, parts) ?? [],
  )
}

/** Returns the hashes of a profile, and a hash of the full name and birth date that finds the same person elsewhere. */
export function hashProfile({ encryption }: Database, { email, name, surname, birthdate }: Profile) {
  const fullName = spellName(`${name ?? ''} ${surname ?? ''}`)
  const isKnown = fullName !== '' && birthdate !== undefined
  return {
    ...hashes(encryption, { email, name, surname }),
    personHash: isKnown ? encryption.hash(JSON.stringify([fullName, birthdate]), 'lookup_person') : null,
  }
}

/** Returns the hashes of a company, and a hash of its registration number and country. */
export function hashCompany({ encryption }: Database, { nature_of_business }: KybContent) {
  const {
    email,
    legal_company_name: name,
    company_registration_id,
    country_of_incorporation,
  } = nature_of_business
  const number = normalisedNumber(company_registration_id ?? '')
  const registration = JSON.stringify([country_of_incorporation ?? '', number])
  return {
    ...hashes(encryption, { email, name }),
    registrationHash: number === '' ? null : encryption.hash(registration, 'lookup_registration'),
  }
}

export const hashBeneficiary = ({ encryption }: Database, { email }: Pick<Beneficiary, 'email'>) => ({
  emailHash: hashEmail(encryption, email),
})

/**
 * Returns a page of the entities that match all given criteria, newest first. Without criteria, returns all entities in
 * the scope.
 */
export async function lookUpCases(
  db: Database,
  kind: Entity,
  { scope, externalId, country, riskLevel, ...wanted }: Lookup,
  { page, per_page }: Page,
): Promise<Listed<TitledEntry>> {
  const { table, external, matches } = TABLES[kind]
  const emailHash = hashEmail(db.encryption, wanted.email)
  const nameHashes = hashesOfName(db.encryption, wanted)
  const isNamed = wanted.name !== undefined || wanted.surname !== undefined
  // A value without visible characters is a criterion that matches no entity.
  if ((wanted.email !== undefined && !emailHash) || (isNamed && nameHashes.length === 0))
    return { entries: [], totalCount: 0 }
  const conditions: SQL[] = []
  if (emailHash) conditions.push(matches('emailHash', [emailHash]))
  if (nameHashes.length > 0) conditions.push(matches('nameHash', nameHashes))
  if (externalId !== undefined) conditions.push(eq(external, externalId))
  if (country !== undefined) conditions.push(isOfCountry(db, kind, country))
  if (riskLevel !== undefined) conditions.push(hasRiskLevel(db, kind, riskLevel))
  conditions.push(inScope(table.vaultId, scope))
  const found = sql`FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`
  // Each order has an index: one for a single vault and one for all vaults.
  const newest = scope === 'all' ? sql`id DESC` : sql`created_at DESC, id DESC`
  const rows = await readEntries(
    db,
    sql`SELECT ${kind} AS kind, ${ENTRY} ${found}
      ORDER BY ${newest} LIMIT ${per_page} OFFSET ${(page - 1) * per_page}`,
  )
  const [total] = await db.orm.execute<{ count: number }>(sql`SELECT count(*)::int AS count ${found}`)
  return { entries: await addTitles(db, rows), totalCount: total?.count ?? 0 }
}

type Column = 'emailHash' | 'nameHash'

/** Selects the records that had the hash before a removal whose values a hold keeps. */
const keptWith = (id: SQLWrapper, hashes: Buffer[]): SQL =>
  sql`SELECT ${id} FROM ${keptValues} WHERE ${inArray(keptValues.lookupHash, hashes)}`

/**
 * Searches both tables, because the data of a company is in its application. The transition of an application cannot
 * copy this data to the identification's row, because closing an identification locks the two rows in the opposite
 * order.
 */
const matchInBothTables = (column: Column, hashes: Buffer[]): SQL => sql`id IN (
  SELECT ${identifications.id} FROM ${identifications} WHERE ${inArray(identifications[column], hashes)}
  UNION ALL
  SELECT ${kybApplications.identificationId} FROM ${kybApplications} WHERE ${inArray(kybApplications[column], hashes)}
  UNION ALL ${keptWith(keptValues.identificationId, hashes)})`

const TABLES = {
  kyb: {
    table: kybApplications,
    external: kybApplications.externalId,
    matches: (column: Column, hashes: Buffer[]) => sql`id IN (
      SELECT ${kybApplications.id} FROM ${kybApplications} WHERE ${inArray(kybApplications[column], hashes)}
      UNION ALL ${keptWith(keptValues.entityId, hashes)})`,
  },
  identification: {
    table: identifications,
    external: identifications.externalUuid,
    matches: matchInBothTables,
  },
} as const
