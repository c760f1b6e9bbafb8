/** Identifications: one value made of the row, its accounts and the holds in force. */
import { and, asc, count, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { accounts, holds, identifications, kybApplications, vaults } from '../../drizzle/schema.ts'
import { type IdentificationState, identificationStatus, isConcluded } from '../domain/identification.ts'
import type { Account, IdentificationRecord, IdentificationReview } from '../domain/identification-record.ts'
import type { Page } from '../domain/page.ts'
import type { Profile } from '../domain/profile.ts'
import { isAnyOf } from './any-of.ts'
import type { Assignment } from './assignment.ts'
import type { Database } from './database.ts'
import { profileHashes } from './lookup.ts'
import { sealedFor } from './sealed.ts'
import { companyNames } from './title.ts'

export interface Identification extends IdentificationRecord, Assignment {
  readonly vaultId: string
  readonly name: string
  readonly surname: string
  /** Since when whoever acts next is waited for. */
  readonly waitingSince: Date
  readonly createdAt: Date
}

interface NewIdentification
  extends Pick<Identification, 'id' | 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'state' | 'profile'> {
  /** Null for the check of a beneficiary. */
  readonly account: Account | null
}

const reviewContext = (id: string) => sealedFor('identifications.review', id)
const proposalContext = (id: string) => sealedFor('identifications.proposal', id)
const profileContext = (id: string) => sealedFor('identifications.profile', id)

/** The columns that say what the state says. */
const stateColumns = (state: IdentificationState) => ({
  verification: state.verification,
  status: identificationStatus(state),
  waitingOn: state.waitingOn,
  awaitsKyb: state.awaitsKyb,
  version: state.version,
  pending: state.pending ?? null,
})

export async function insertIdentification(tx: Database, identification: NewIdentification): Promise<void> {
  const { account, state, profile, ...rest } = identification
  await tx.orm.insert(identifications).values({
    ...rest,
    ...stateColumns(state),
    profile: tx.encryption.sealJson(profile, profileContext(rest.id)),
    ...profileHashes(tx, profile),
  })
  if (account) await insertAccount(tx, identification.id, account)
}

export async function insertAccount(tx: Database, identificationId: string, account: Account): Promise<void> {
  await tx.orm.insert(accounts).values({ ...account, identificationId })
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

/** Of an identification that is there; it stays so until the transaction ends. */
export async function lockState(
  tx: Database,
  id: string,
): Promise<{ readonly version: number; readonly erasedAt: Date | null }> {
  const { version, erasedAt } = identifications
  const [row] = await tx.orm
    .select({ version, erasedAt })
    .from(identifications)
    .where(eq(identifications.id, id))
    .for('update')
  if (!row) throw new Error('an identification that others refer to is not in the database')
  return row
}

export async function findIdentificationByExternalUuid(
  db: Database,
  vaultId: string,
  externalUuid: string,
): Promise<Identification | null> {
  const rows = await db.orm
    .select()
    .from(identifications)
    .where(and(eq(identifications.vaultId, vaultId), eq(identifications.externalUuid, externalUuid)))
  return (await complete(db, rows))[0] ?? null
}

/** Whether the company's identification was closed, as far as is committed. */
export async function isClosed(db: Database, vaultId: string, id: string): Promise<boolean> {
  const { verification } = identifications
  const [row] = await db.orm.select({ verification }).from(identifications).where(ofVault(vaultId, id))
  return row?.verification === 'closed'
}

/** Whose identification it is, for those who belong to no vault. */
export async function vaultOfIdentification(db: Database, id: string): Promise<string | null> {
  const { vaultId } = identifications
  const [row] = await db.orm.select({ vaultId }).from(identifications).where(eq(identifications.id, id))
  return row?.vaultId ?? null
}

/** How far each of these is, by id: what operators see of the checks of beneficiaries. */
export async function findStates(db: Database, ids: readonly string[]) {
  const { id, status, waitingOn, waitingSince, version } = identifications
  const rows = await db.orm
    .select({ id, status, waitingOn, waitingSince, version })
    .from(identifications)
    .where(isAnyOf(id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

export async function vaultOfAccount(db: Database, id: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ vaultId: identifications.vaultId })
    .from(accounts)
    .innerJoin(identifications, eq(identifications.id, accounts.identificationId))
    .where(eq(accounts.id, id))
  return row?.vaultId ?? null
}

/** A page of the vault's identifications but for beneficiaries', newest first; with `externalUuid` only that one. */
export async function listIdentifications(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  externalUuid?: string,
) {
  const where = and(
    eq(identifications.vaultId, vaultId),
    // Written as the index says it.
    sql`${identifications.origin} <> 'beneficiary'`,
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

/** Writes state and profile; accounts and holds have rows of their own. */
export async function saveIdentification(tx: Database, identification: Identification): Promise<void> {
  const { id, vaultId, state, profile, review, proposal, screenedWith } = identification
  await tx.orm
    .update(identifications)
    .set({
      ...stateColumns(state),
      // A company's is with its application.
      ...(identification.origin !== 'kyb_application' && { screenedWith }),
      waitingSince: sql`CASE WHEN waiting_on = ${state.waitingOn} THEN waiting_since ELSE clock_timestamp() END`,
      profile: tx.encryption.sealJson(profile, profileContext(id)),
      ...profileHashes(tx, profile),
      concludedAt: isConcluded(state) ? sql`coalesce(concluded_at, clock_timestamp())` : null,
      review: review && tx.encryption.sealJson(review, reviewContext(id)),
      proposal: proposal && tx.encryption.sealJson(proposal, proposalContext(id)),
    })
    .where(ofVault(vaultId, id))
}

/** The holds in force of each identification, oldest first. */
export async function holdsInForce(db: Database, ids: readonly string[]) {
  return db.orm
    .select({
      id: holds.id,
      identificationId: holds.identificationId,
      owner: holds.owner,
      services: holds.services,
    })
    .from(holds)
    .where(and(isAnyOf(holds.identificationId, ids), isNotNull(holds.appliedAt), isNull(holds.liftedAt)))
    .orderBy(asc(holds.appliedAt), asc(holds.id))
}

type Row = typeof identifications.$inferSelect

/** Of companies that have an application: theirs is its. */
async function screenedOfCompanies(db: Database, ids: readonly string[]) {
  if (ids.length === 0) return new Map()
  const { identificationId, screenedWith, openHits, confirmedHits } = kybApplications
  const rows = await db.orm
    .select({ identificationId, screenedWith, openHits, confirmedHits })
    .from(kybApplications)
    .where(isAnyOf(identificationId, ids))
  return new Map(rows.map(({ identificationId: id, ...screened }) => [id, screened]))
}

async function complete(db: Database, rows: readonly Row[]): Promise<Identification[]> {
  const [first] = rows
  if (!first) return []
  const ids = rows.map((row) => row.id)
  const owned = await db.orm
    .select()
    .from(accounts)
    .where(isAnyOf(accounts.identificationId, ids))
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
  const inForce = await holdsInForce(db, ids)
  const [vault] = await db.orm
    .select({
      internalSettlements: vaults.internalSettlementsEnabled,
      fourEyes: vaults.fourEyes,
      highRiskCountries: vaults.highRiskCountries,
    })
    .from(vaults)
    .where(eq(vaults.id, first.vaultId))
  const { internalSettlements = false, fourEyes = [], highRiskCountries = [] } = vault ?? {}
  // A company is called what its application says.
  const companies = rows.filter((row) => row.kind === 'company').map((row) => row.id)
  const names = await companyNames(db, 'identificationId', companies)
  const screened = await screenedOfCompanies(db, companies)
  return rows.map((row) => {
    const profile = db.encryption.openJson<Profile>(row.profile, profileContext(row.id))
    return {
      ...row,
      ...screened.get(row.id),
      state: {
        verification: row.verification,
        waitingOn: row.waitingOn,
        awaitsKyb: row.awaitsKyb,
        holds: inForce
          .filter((hold) => hold.identificationId === row.id)
          .map(({ id, owner, services }) => ({ id, owner, services })),
        version: row.version,
        pending: row.pending,
      },
      profile,
      name: profile.name ?? names.get(row.id) ?? '',
      surname: profile.surname ?? '',
      review: row.review && db.encryption.openJson<IdentificationReview>(row.review, reviewContext(row.id)),
      proposal:
        row.proposal &&
        db.encryption.openJson<NonNullable<Identification['proposal']>>(
          row.proposal,
          proposalContext(row.id),
        ),
      policy: { fourEyes, highRiskCountries },
      accounts: owned
        .filter((account) => account.identificationId === row.id)
        .map(({ id, referral }) => ({ id, referral })),
      internalSettlements,
    }
  })
}
