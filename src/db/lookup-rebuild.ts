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

/** Each batch is one transaction that locks its rows; `report` is told how many are done. */
export async function rebuildLookups(db: Database, report: (line: string) => void): Promise<void> {
  for (const lookup of LOOKUPS as Lookup<unknown>[]) {
    let done = 0
    for (let after: string | undefined = NIL; after !== undefined; ) {
      const ids: string[] = await transaction(db, (tx) => rebuild(tx, lookup, after ?? NIL))
      done += ids.length
      after = ids.at(-1)
    }
    report(`${getTableName(lookup.table)}: ${done} rebuilt`)
  }
}

async function rebuild<Sealed>(
  tx: Database,
  { table, column, sealed, among, hashes }: Lookup<Sealed>,
  after: string,
): Promise<string[]> {
  const { id } = table
  const rows = await tx.orm
    .select({ id: sql<string>`${id}`, value: sql<Buffer>`${sealed}` })
    .from(table)
    .where(and(gt(id, after), among))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('update')
  for (const row of rows) {
    const opened = tx.encryption.openJson<Sealed>(row.value, sealedFor(column, row.id))
    await tx.orm.update(table).set(hashes(tx, opened)).where(eq(id, row.id))
  }
  return rows.map((row) => row.id)
}
