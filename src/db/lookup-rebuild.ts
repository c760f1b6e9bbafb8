/** Writes the hashes of every lookup anew, for rows written before there were any. */
import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import { beneficiaries, identifications, kybApplications } from '../../drizzle/schema.ts'
import type { Beneficiary, KybContent } from '../domain/kyb-fields.ts'
import type { Profile } from '../domain/profile.ts'
import { type Database, transaction } from './database.ts'
import { beneficiaryHashes, companyHashes, profileHashes } from './lookup.ts'
import { sealedFor } from './sealed.ts'

const BATCH = 100
const NIL = '00000000-0000-0000-0000-000000000000'

/** Each batch is one transaction that locks its rows; `report` is told how many are done. */
export async function rebuildLookups(db: Database, report: (line: string) => void): Promise<void> {
  for (const [name, rebuild] of [
    ['identifications', rebuildProfiles],
    ['kyb_applications', rebuildCompanies],
    ['beneficiaries', rebuildBeneficiaries],
  ] as const) {
    let done = 0
    for (let after: string | undefined = NIL; after !== undefined; ) {
      const ids: string[] = await transaction(db, (tx) => rebuild(tx, after ?? NIL))
      done += ids.length
      after = ids.at(-1)
    }
    report(`${name}: ${done} rebuilt`)
  }
}

async function rebuildProfiles(tx: Database, after: string): Promise<string[]> {
  const { id, profile, erasedAt } = identifications
  const rows = await tx.orm
    .select({ id, profile })
    .from(identifications)
    .where(and(gt(id, after), isNull(erasedAt)))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('update')
  for (const row of rows) {
    const opened = tx.encryption.openJson<Profile>(row.profile, sealedFor('identifications.profile', row.id))
    await tx.orm.update(identifications).set(profileHashes(tx, opened)).where(eq(id, row.id))
  }
  return rows.map((row) => row.id)
}

async function rebuildCompanies(tx: Database, after: string): Promise<string[]> {
  const { id, content } = kybApplications
  const rows = await tx.orm
    .select({ id, content })
    .from(kybApplications)
    .where(gt(id, after))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('update')
  for (const row of rows) {
    const context = sealedFor('kyb_applications.content', row.id)
    const opened = tx.encryption.openJson<KybContent>(row.content, context)
    await tx.orm.update(kybApplications).set(companyHashes(tx, opened)).where(eq(id, row.id))
  }
  return rows.map((row) => row.id)
}

async function rebuildBeneficiaries(tx: Database, after: string): Promise<string[]> {
  const { id, person } = beneficiaries
  const rows = await tx.orm
    .select({ id, person })
    .from(beneficiaries)
    .where(gt(id, after))
    .orderBy(asc(id))
    .limit(BATCH)
    .for('update')
  for (const row of rows) {
    const opened = tx.encryption.openJson<Beneficiary>(row.person, sealedFor('beneficiaries.person', row.id))
    await tx.orm.update(beneficiaries).set(beneficiaryHashes(tx, opened)).where(eq(id, row.id))
  }
  return rows.map((row) => row.id)
}
