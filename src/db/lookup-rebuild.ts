/** Writes the hashes of every lookup anew, for rows written before there were any. */

import { and, asc, eq, getTableName, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { NIL } from 'uuid'
import { beneficiaries, identifications, kybApplications } from '../../drizzle/schema.ts'
import { type Database, transaction } from './database.ts'
import { beneficiaryHashes, companyHashes, profileHashes } from './lookup.ts'
import { type SealedColumn, sealedFor } from './sealed.ts'

const BATCH = 100

/** What the hashes of a row are of. */
interface Lookup<Sealed> {
  readonly table: PgTable & { readonly id: PgColumn }
  readonly column: SealedColumn
  readonly sealed: PgColumn
  readonly among?: SQL
  hashes(db: Database, opened: Sealed): object
}

const LOOKUPS = [
  {
    table: identifications,
    column: 'identifications.profile',
    sealed: identifications.profile,
    among: isNull(identifications.erasedAt),
    hashes: profileHashes,
  },
  {
    table: kybApplications,
    column: 'kyb_applications.content',
    sealed: kybApplications.content,
    hashes: companyHashes,
  },
  {
    table: beneficiaries,
    column: 'beneficiaries.person',
    sealed: beneficiaries.person,
    hashes: beneficiaryHashes,
  },
] satisfies Lookup<never>[]

/**
 * Each batch is one transaction that locks its rows; `report` is told how many are done, and what does not open, which
 * keeps the hashes that it has. True when everything was rebuilt.
 */
export async function rebuildLookups(db: Database, report: (line: string) => void): Promise<boolean> {
  let isWhole = true
  for (const lookup of LOOKUPS as Lookup<unknown>[]) {
    let done = 0
    for (let after: string | undefined = NIL; after !== undefined; ) {
      const { ids, failures }: Batch = await transaction(db, (tx) => rebuild(tx, lookup, after ?? NIL))
      for (const failure of failures) report(failure)
      if (failures.length > 0) isWhole = false
      done += ids.length - failures.length
      after = ids.at(-1)
    }
    report(`${getTableName(lookup.table)}: ${done} rebuilt`)
  }
  return isWhole
}

interface Batch {
  readonly ids: readonly string[]
  /** Of those of them that do not open. */
  readonly failures: readonly string[]
}

async function rebuild<Sealed>(
  tx: Database,
  { table, column, sealed, among, hashes }: Lookup<Sealed>,
  after: string,
): Promise<Batch> {
  const { id } = table
  const rows = await tx.orm
    .select({ id: sql<string>`${id}`, value: sql<Buffer>`${sealed}` })
    .from(table)
    .where(and(gt(id, after), among))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('update')
  const failures: string[] = []
  for (const row of rows) {
    let opened: Sealed
    try {
      opened = tx.encryption.openJson<Sealed>(row.value, sealedFor(column, row.id))
    } catch (error) {
      failures.push((error as Error).message)
      continue
    }
    await tx.orm.update(table).set(hashes(tx, opened)).where(eq(id, row.id))
  }
  return { ids: rows.map((row) => row.id), failures }
}
