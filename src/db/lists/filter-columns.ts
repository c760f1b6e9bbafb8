/** Writes the columns by which the queue filters cases: keyed hashes of the country and of the facts about risks. */
import { eq, sql } from 'drizzle-orm'
import { countryCodeOf, type RiskFacts } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { countryOf, type Profile } from '../../domain/identification/profile.ts'
import { riskFactsOfPerson } from '../../domain/identification/risk.ts'
import type { KybContent } from '../../domain/kyb/fields.ts'
import { isPoliticallyExposed, riskFactsOfCompany } from '../../domain/kyb/risk.ts'
import { findIdentification } from '../cases/identification.ts'
import { findKybApplication } from '../cases/kyb-application.ts'
import { completeOldRows } from '../cases/old-rows.ts'
import { tableOf } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'
import { nullIfDamaged } from '../connection/sealed.ts'

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

/** Fills the columns of rows that an earlier version wrote. Returns the number of rows. */
export const fillFilterColumns = (db: Database): Promise<number> =>
  completeOldRows(db, sql`risk_hashes IS NULL`, async (tx, kind, rows) => {
    const table = tableOf(kind)
    for (const { id, vaultId } of rows) {
      const columns = await READ[kind](tx, vaultId, id).catch(nullIfDamaged)
      await tx.orm
        .update(table)
        .set(columns ?? DAMAGED)
        .where(eq(table.id, id))
    }
  })

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
