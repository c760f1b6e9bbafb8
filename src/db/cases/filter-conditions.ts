/** Conditions of the queue's filters for countries and risk levels. */
import { type SQL, sql } from 'drizzle-orm'
import { RISK_RULES, RISKS, type Risk, type RiskLevel, type RiskSign } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity.ts'

/**
 * Returns the condition for cases with this country, as the queue shows it. The country of a company is in its
 * application.
 */
export const hasCountry = (kind: Entity, country: string): SQL =>
  kind === 'kyb'
    ? sql`country = ${country}`
    : sql`(country = ${country} OR (country IS NULL AND EXISTS (
        SELECT FROM kyb_applications AS its
        WHERE its.identification_id = identifications.id AND its.country = ${country})))`

const SHOWS: Readonly<Record<RiskSign, (risk: Risk) => SQL>> = {
  confirmed_hits: () => sql`bearer.confirmed_hits > 0`,
  countries: () => sql`bearer.risk_facts && vaults.high_risk_countries`,
  circumstance: (risk) => sql`${risk} = ANY(bearer.risk_facts)`,
}

const anyOf = (level: RiskLevel): SQL => {
  const risks = RISKS.filter((risk) => RISK_RULES[risk].level === level)
  return sql.join(
    risks.map((risk) => SHOWS[RISK_RULES[risk].sign](risk)),
    sql` OR `,
  )
}

/** Returns the rows that count towards an application's risk: its own, and those of its people's current checks. */
const bearersOfCompany = (application: SQL): SQL => sql`
  SELECT ${application}.open_hits, ${application}.confirmed_hits, ${application}.risk_facts
  UNION ALL
  SELECT 0, person.confirmed_hits, person.risk_facts
  FROM beneficiaries JOIN identifications AS person
    ON person.id = coalesce(beneficiaries.check_id, beneficiaries.id) AND person.origin = 'beneficiary'
  WHERE beneficiaries.kyb_application_id = ${application}.id AND beneficiaries.removed_at IS NULL`

const BEARERS: Readonly<Record<Entity, SQL>> = {
  kyb: bearersOfCompany(sql`kyb_applications`),
  identification: sql`
    SELECT identifications.open_hits, identifications.confirmed_hits, identifications.risk_facts
    UNION ALL
    SELECT its_bearers.* FROM kyb_applications AS its CROSS JOIN LATERAL (${bearersOfCompany(sql`its`)}) AS its_bearers
    WHERE its.identification_id = identifications.id`,
}

/** Returns the condition for cases with this risk level. Excludes rows whose facts are not filled in yet. */
export const hasRiskLevel = (kind: Entity, level: RiskLevel): SQL => sql`${level} = (
  SELECT CASE
    WHEN bool_or(bearer.open_hits > 0 OR ${anyOf('high')}) THEN 'high'
    WHEN bool_or(bearer.risk_facts IS NULL) THEN NULL
    WHEN bool_or(${anyOf('medium')}) THEN 'medium'
    ELSE 'low' END
  FROM (${BEARERS[kind]}) AS bearer, vaults WHERE vaults.id = vault_id)`
