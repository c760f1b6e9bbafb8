/** Conditions of the queue's filters for countries and risk levels. */
import { type SQL, sql } from 'drizzle-orm'
import { RISK_RULES, RISKS, type Risk, type RiskLevel, type RiskSign } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { COUNTRY_CODES } from '../../domain/fields/countries.ts'
import type { Encryption } from '../../storage/encryption.ts'
import type { Database } from '../connection/database.ts'
import { hashFact, UNKNOWN_RISKS } from './filter-columns.ts'

interface CountryHashes {
  readonly countries: ReadonlyMap<string, string>
  /** The hash of each country, as JSON. */
  readonly hashes: string
}

/** The hashes with each key, because each page of the queue needs all of them. */
const computed = new WeakMap<Encryption, CountryHashes>()

export function hashCountries(db: Pick<Database, 'encryption'>): CountryHashes {
  const known = computed.get(db.encryption)
  if (known) return known
  const hashes = COUNTRY_CODES.map((country) => [country, hashFact(db, country)] as const)
  const made = {
    countries: new Map(hashes.map(([country, hash]) => [hash, country])),
    hashes: JSON.stringify(Object.fromEntries(hashes)),
  }
  computed.set(db.encryption, made)
  return made
}

const OF_APPLICATION = sql`SELECT its.country_hash FROM kyb_applications AS its
  WHERE its.identification_id = identifications.id`

/** The hash of a case's country, as the queue shows it. The country of a company is in its application. */
export const COUNTRY_HASH: Readonly<Record<Entity, SQL>> = {
  kyb: sql`country_hash`,
  identification: sql`coalesce(country_hash, (${OF_APPLICATION}))`,
}

export function hasCountry(db: Database, kind: Entity, country: string): SQL {
  const hash = hashFact(db, country)
  return kind === 'kyb'
    ? sql`country_hash = ${hash}`
    : sql`(country_hash = ${hash} OR (country_hash IS NULL AND ${hash} IN (${OF_APPLICATION})))`
}

/** Returns the same condition for cases in any state, which indexes of both tables serve. */
export function isOfCountry(db: Database, kind: Entity, country: string): SQL {
  const hash = hashFact(db, country)
  return kind === 'kyb'
    ? sql`country_hash = ${hash}`
    : sql`(country_hash = ${hash} OR country_hash IS NULL) AND id IN (
        SELECT its.id FROM identifications AS its WHERE its.country_hash = ${hash}
        UNION ALL SELECT its.identification_id FROM kyb_applications AS its WHERE its.country_hash = ${hash})`
}

const SHOWS: Readonly<Record<RiskSign, (db: Database, risk: Risk) => SQL>> = {
  confirmed_hits: () => sql`bearer.confirmed_hits > 0`,
  countries: (db) => sql`bearer.risk_hashes && ARRAY(
    SELECT ${hashCountries(db).hashes}::jsonb ->> high FROM unnest(vaults.high_risk_countries) AS high)`,
  circumstance: (db, risk) => sql`${hashFact(db, risk)} = ANY(bearer.risk_hashes)`,
}

const anyOf = (db: Database, level: RiskLevel): SQL => {
  const risks = RISKS.filter((risk) => RISK_RULES[risk].level === level)
  return sql.join(
    risks.map((risk) => SHOWS[RISK_RULES[risk].sign](db, risk)),
    sql` OR `,
  )
}

/** Returns the rows that count towards an application's risk: its own, and those of its people's current checks. */
const bearersOfCompany = (application: SQL): SQL => sql`
  SELECT ${application}.open_hits, ${application}.confirmed_hits, ${application}.risk_hashes
  UNION ALL
  SELECT 0, person.confirmed_hits, person.risk_hashes
  FROM beneficiaries JOIN identifications AS person
    ON person.id = coalesce(beneficiaries.check_id, beneficiaries.id) AND person.origin = 'beneficiary'
  WHERE beneficiaries.kyb_application_id = ${application}.id AND beneficiaries.removed_at IS NULL`

const BEARERS: Readonly<Record<Entity, SQL>> = {
  kyb: bearersOfCompany(sql`kyb_applications`),
  identification: sql`
    SELECT identifications.open_hits, identifications.confirmed_hits, identifications.risk_hashes
    UNION ALL
    SELECT its_bearers.* FROM kyb_applications AS its CROSS JOIN LATERAL (${bearersOfCompany(sql`its`)}) AS its_bearers
    WHERE its.identification_id = identifications.id`,
}

/** Returns the condition for cases with this risk level. Excludes rows whose facts are unknown. */
export const hasRiskLevel = (db: Database, kind: Entity, level: RiskLevel): SQL => sql`${level} = (
  SELECT CASE
    WHEN bool_or(bearer.open_hits > 0 OR ${anyOf(db, 'high')}) THEN 'high'
    WHEN bool_or(bearer.risk_hashes IS NULL OR bearer.risk_hashes = ${sql.param(UNKNOWN_RISKS)}::text[]) THEN NULL
    WHEN bool_or(${anyOf(db, 'medium')}) THEN 'medium'
    ELSE 'low' END
  FROM (${BEARERS[kind]}) AS bearer, vaults WHERE vaults.id = vault_id)`
