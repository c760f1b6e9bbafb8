/** Writes the columns by which the queue filters cases: keyed hashes of the country and of the facts about risks. */
import { eq, sql } from 'drizzle-orm'
import {
  countryCodeOf,
  isPoliticallyExposed,
  type RiskFacts,
  riskFactsOfCompany,
  riskFactsOfPerson,
} from '../../domain/decision/risk.ts'
import { ENTITY_KINDS, type Entity } from '../../domain/entity.ts'
import { countryOf, type Profile } from '../../domain/identification/profile.ts'
import type { KybContent } from '../../domain/kyb/fields.ts'
import { inBatches } from '../connection/batches.ts'
import { type Database, transaction } from '../connection/database.ts'
import { nullIfDamaged } from '../connection/sealed.ts'
import { tableOf } from './entity.ts'
import { findIdentification } from './identification.ts'
import { findKybApplication } from './kyb-application.ts'

interface FilterColumns {
  readonly countryHash: string | null
  readonly riskHashes: string[]
}

/** Returns the hash of a country or of another fact that a risk depends on. */
export const hashFact = ({ encryption }: Pick<Database, 'encryption'>, fact: string): string =>
  encryption.hash(fact, 'case_filter').toString('base64url')

const hashesOf = (db: Database, country: string | null, facts: RiskFacts): FilterColumns => ({
  countryHash: country && hashFact(db, country),
  // Sorted, because the order of the facts would reveal their kind.
  riskHashes: facts.map((fact) => hashFact(db, fact)).sort(),
})

export const filterColumnsOfCompany = (db: Database, content: KybContent): FilterColumns =>
  hashesOf(
    db,
    countryCodeOf(content.nature_of_business.country_of_incorporation),
    riskFactsOfCompany(content, isPoliticallyExposed(content)),
  )

export const filterColumnsOfPerson = (db: Database, profile: Profile): FilterColumns =>
  hashesOf(db, countryCodeOf(countryOf(profile)), riskFactsOfPerson(profile))

/** The columns of erased rows. */
export const NO_FILTER_COLUMNS: FilterColumns = { countryHash: null, riskHashes: [] }

/** The facts of a damaged row. No filter for risks finds the row. */
export const UNKNOWN_RISKS = ['damaged']
const DAMAGED: FilterColumns = { countryHash: null, riskHashes: UNKNOWN_RISKS }

/** Small batches, because an application can have several megabytes. */
const FILLED = { batchSize: 20, statements: 100 }

/** Fills the columns of rows that an earlier version wrote. Returns the number of rows. */
export async function fillFilterColumns(db: Database): Promise<number> {
  let count = 0
  for (const kind of ENTITY_KINDS)
    count += await inBatches(FILLED, (limit) => transaction(db, (tx) => fillBatch(tx, kind, limit)))
  return count
}

async function fillBatch(tx: Database, kind: Entity, limit: number): Promise<number> {
  const table = tableOf(kind)
  const locked = await tx.orm
    .select({ id: table.id, vaultId: table.vaultId })
    .from(table)
    .where(sql`risk_hashes IS NULL`)
    .orderBy(table.id)
    .limit(limit)
    .for('no key update', { skipLocked: true })
  for (const { id, vaultId } of locked) {
    const columns = await READ[kind](tx, vaultId, id).catch(nullIfDamaged)
    await tx.orm
      .update(table)
      .set(columns ?? DAMAGED)
      .where(eq(table.id, id))
  }
  return locked.length
}

const READ: Record<Entity, (tx: Database, vaultId: string, id: string) => Promise<FilterColumns | null>> = {
  async kyb(tx, vaultId, id) {
    const found = await findKybApplication(tx, vaultId, id)
    return found && filterColumnsOfCompany(tx, found.content)
  },
  async identification(tx, vaultId, id) {
    const found = await findIdentification(tx, vaultId, id)
    return found && filterColumnsOfPerson(tx, found.profile)
  },
}
