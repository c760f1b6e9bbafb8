/** Queries that write the plain columns by which the queue filters cases: the country and the facts about risks. */
import { eq, sql } from 'drizzle-orm'
import {
  countryCodeOf,
  isPoliticallyExposed,
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
  readonly country: string | null
  readonly riskFacts: string[]
}

export const filterColumnsOfCompany = (content: KybContent): FilterColumns => ({
  country: countryCodeOf(content.nature_of_business.country_of_incorporation),
  riskFacts: [...riskFactsOfCompany(content, isPoliticallyExposed(content))],
})

export const filterColumnsOfPerson = (profile: Profile): FilterColumns => ({
  country: countryCodeOf(countryOf(profile)),
  riskFacts: [...riskFactsOfPerson(profile)],
})

/** The columns of erased and of damaged rows. */
export const NO_FILTER_COLUMNS: FilterColumns = { country: null, riskFacts: [] }

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
    .where(sql`risk_facts IS NULL`)
    .orderBy(table.id)
    .limit(limit)
    .for('no key update', { skipLocked: true })
  for (const { id, vaultId } of locked) {
    const columns = await READ[kind](tx, vaultId, id).catch(nullIfDamaged)
    await tx.orm
      .update(table)
      .set(columns ?? NO_FILTER_COLUMNS)
      .where(eq(table.id, id))
  }
  return locked.length
}

const READ: Record<Entity, (tx: Database, vaultId: string, id: string) => Promise<FilterColumns | null>> = {
  async kyb(tx, vaultId, id) {
    const found = await findKybApplication(tx, vaultId, id)
    return found && filterColumnsOfCompany(found.content)
  },
  async identification(tx, vaultId, id) {
    const found = await findIdentification(tx, vaultId, id)
    return found && filterColumnsOfPerson(found.profile)
  },
}
