/** Writes the hashes of every lookup anew, for rows written before there were any. */

import { and, asc, eq, getTableName, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { NIL } from 'uuid'
import { beneficiaries, identifications, kybApplications } from '../../../drizzle/schema.ts'
import { type Database, transaction } from '../connection/database.ts'
import { opened, type SealedColumn, sealedFor } from '../connection/sealed.ts'
import { beneficiaryHashes, companyHashes, profileHashes } from './lookup.ts'

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
  const tell = (failure: string) => {
    isWhole = false
    report(failure)
  }
  for (const lookup of LOOKUPS as Lookup<unknown>[]) {
    let done = 0
    for (let after: string | undefined = NIL; after !== undefined; ) {
      const batch: Batch = await transaction(db, (tx) => rebuild(tx, lookup, after ?? NIL, tell))
      done += batch.count
      after = batch.last
    }
    report(`${getTableName(lookup.table)}: ${done} rebuilt`)
  }
  return isWhole
}

interface Batch {
  /** How many of its rows are rebuilt. */
  readonly count: number
  /** The id of its last row, if it has any. */
  readonly last: string | undefined
}

async function rebuild<Sealed>(
  tx: Database,
  { table, column, sealed, among, hashes }: Lookup<Sealed>,
  after: string,
  tell: (failure: string) => void,
): Promise<Batch> {
  const { id } = table
  const rows = await tx.orm
    .select({ id: sql<string>`${id}`, value: sql<Buffer>`${sealed}` })
    .from(table)
    .where(and(gt(id, after), among))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('no key update')
  let count = 0
  for (const row of rows) {
    const context = sealedFor(column, row.id)
    const content = await opened(context, tell, () => tx.encryption.openJson<Sealed>(row.value, context))
    if (content === null) continue
    await tx.orm.update(table).set(hashes(tx, content)).where(eq(id, row.id))
    count += 1
  }
  return { count, last: rows.at(-1)?.id }
}
