/** Identifications and their accounts. */
import { and, asc, count, desc, eq, inArray } from 'drizzle-orm'
import { accounts, identifications, kybApplications } from '../../drizzle/schema.ts'
import type { Page } from '../contracts/common.ts'
import { type IdentificationState, identificationStatus } from '../domain/identification.ts'
import type { KybContent } from '../domain/kyb-fields.ts'
import type { Database } from './database.ts'

export interface Account {
  readonly id: string
  readonly referral: string
}

export interface Identification {
  readonly id: string
  readonly vaultId: string
  readonly externalUuid: string
  readonly kind: 'person' | 'company'
  readonly state: IdentificationState
  readonly name: string
  readonly surname: string
  /** Oldest first; the first one is the identification's `account_id`. */
  readonly accounts: readonly Account[]
  readonly createdAt: Date
}

export interface NewIdentification
  extends Pick<Identification, 'id' | 'vaultId' | 'externalUuid' | 'kind' | 'state'> {
  readonly account: Account
}

export async function insertIdentification(tx: Database, identification: NewIdentification): Promise<void> {
  const { account, state, ...rest } = identification
  await tx.orm.insert(identifications).values({ ...rest, ...state, status: identificationStatus(state) })
  await tx.orm.insert(accounts).values({ ...account, identificationId: identification.id })
}

const ofVault = (vaultId: string, id: string) =>
  and(eq(identifications.vaultId, vaultId), eq(identifications.id, id))

/** The identification of this vault, or null. */
export async function findIdentification(
  db: Database,
  vaultId: string,
  id: string,
): Promise<Identification | null> {
  const rows = await db.orm.select().from(identifications).where(ofVault(vaultId, id))
  return (await complete(db, rows))[0] ?? null
}

/** The same, locked until the transaction ends. */
export async function lockIdentification(
  tx: Database,
  vaultId: string,
  id: string,
): Promise<Identification | null> {
  const rows = await tx.orm.select().from(identifications).where(ofVault(vaultId, id)).for('update')
  return (await complete(tx, rows))[0] ?? null
}

/** A page of the vault's identifications, newest first; with `externalUuid` only that one. */
export async function listIdentifications(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  externalUuid?: string,
) {
  const where = and(
    eq(identifications.vaultId, vaultId),
    externalUuid === undefined ? undefined : eq(identifications.externalUuid, externalUuid),
  )
  const rows = await db.orm
    .select()
    .from(identifications)
    .where(where)
    .orderBy(desc(identifications.createdAt), desc(identifications.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm.select({ count: count() }).from(identifications).where(where)
  return { identifications: await complete(db, rows), totalCount: total?.count ?? 0 }
}

export async function saveIdentificationState(
  tx: Database,
  vaultId: string,
  id: string,
  state: IdentificationState,
): Promise<void> {
  await tx.orm
    .update(identifications)
    .set({ ...state, status: identificationStatus(state) })
    .where(ofVault(vaultId, id))
}

type Row = typeof identifications.$inferSelect

async function complete(db: Database, rows: readonly Row[]): Promise<Identification[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const owned = await db.orm
    .select()
    .from(accounts)
    .where(inArray(accounts.identificationId, ids))
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
  const names = await companyNames(db, ids)
  return rows.map((row) => ({
    ...row,
    state: { verification: row.verification, version: row.version },
    name: names.get(row.id) ?? '',
    surname: '',
    accounts: owned.filter((account) => account.identificationId === row.id),
  }))
}

/** A company is called what its application says. */
async function companyNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const { id, identificationId, content } = kybApplications
  const rows = await db.orm
    .select({ id, identificationId, content })
    .from(kybApplications)
    .where(inArray(identificationId, [...ids]))
  return new Map(
    rows.map((row) => {
      const { nature_of_business } = db.encryption.openJson<KybContent>(
        row.content,
        `kyb_applications.content:${row.id}`,
      )
      return [row.identificationId, nature_of_business.legal_company_name ?? '']
    }),
  )
}
