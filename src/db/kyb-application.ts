/** KYB applications: one value made of the application's row, its beneficiaries and its files. */
import { and, asc, count, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { beneficiaries, files, identifications, kybApplications } from '../../drizzle/schema.ts'
import type { Correction, Finding } from '../domain/decision.ts'
import type { Verification } from '../domain/identification.ts'
import type { KybState } from '../domain/kyb-application.ts'
import type { Beneficiary, KybContent } from '../domain/kyb-fields.ts'
import type { KybDecision, KybRecord } from '../domain/kyb-transition.ts'
import type { Page } from '../domain/page.ts'
import { isAnyOf } from './any-of.ts'
import type { Assignment } from './assignment.ts'
import type { Database } from './database.ts'
import { fileContext } from './file.ts'
import { sealedFor } from './sealed.ts'
import { findPolicy } from './vault.ts'

export interface KybApplication extends KybRecord, Assignment {
  readonly vaultId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly waitingSince: Date
  readonly createdAt: Date
  /** The links to the beneficiaries' own verification, and how far each is, by beneficiary. */
  readonly links: ReadonlyMap<string, BeneficiaryLink>
}

export interface BeneficiaryLink {
  readonly token: string
  readonly expiresAt: Date
  readonly verification: Verification
  /** The person has opened the link. */
  readonly isBegun: boolean
}

type Row = typeof kybApplications.$inferSelect
export interface SealedReview {
  readonly clientComment: string | null
  readonly corrections: readonly Correction[]
  /** Reviews of before findings have none. */
  readonly findings?: readonly Finding[]
}

export const contentContext = (id: string) => sealedFor('kyb_applications.content', id)
export const reviewContext = (id: string) => sealedFor('kyb_applications.review', id)
export const proposalContext = (id: string) => sealedFor('kyb_applications.proposal', id)
export const personContext = (id: string) => sealedFor('beneficiaries.person', id)
export const tokenContext = (id: string) => sealedFor('beneficiaries.token', id)

/** The application of this vault, or null. */
export async function findKybApplication(
  db: Database,
  vaultId: string,
  id: string,
): Promise<KybApplication | null> {
  const rows = await db.orm.select().from(kybApplications).where(ofVault(vaultId, id))
  return (await complete(db, rows))[0] ?? null
}

/** The same, locked until the transaction ends. */
export async function lockKybApplication(
  tx: Database,
  vaultId: string,
  id: string,
): Promise<KybApplication | null> {
  const rows = await tx.orm.select().from(kybApplications).where(ofVault(vaultId, id)).for('update')
  return (await complete(tx, rows))[0] ?? null
}

export const ofVault = (vaultId: string, id: string) =>
  and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.id, id))

/** Whose application it is, for those who belong to no vault. */
export async function vaultOfKybApplication(db: Database, id: string): Promise<string | null> {
  const { vaultId } = kybApplications
  const [row] = await db.orm.select({ vaultId }).from(kybApplications).where(eq(kybApplications.id, id))
  return row?.vaultId ?? null
}

/** The application of an identification, where it has one. */
export async function findKybOfIdentification(db: Database, vaultId: string, identificationId: string) {
  const { id, status } = kybApplications
  const [row] = await db.orm
    .select({ id, status })
    .from(kybApplications)
    .where(and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.identificationId, identificationId)))
  return row ?? null
}

/** How the review of an identification's application ended; its row is kept from changing meanwhile. */
export async function lockReviewOf(tx: Database, vaultId: string, identificationId: string) {
  const { id, status, reviewOutcome } = kybApplications
  const [row] = await tx.orm
    .select({ id, status, outcome: reviewOutcome })
    .from(kybApplications)
    .where(and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.identificationId, identificationId)))
    .for('share')
  return row ?? null
}

/** A page of the vault's applications, newest first. */
export async function listKybApplications(db: Database, vaultId: string, { page, per_page }: Page) {
  const where = eq(kybApplications.vaultId, vaultId)
  const rows = await db.orm
    .select()
    .from(kybApplications)
    .where(where)
    .orderBy(desc(kybApplications.createdAt), desc(kybApplications.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm.select({ count: count() }).from(kybApplications).where(where)
  return { applications: await complete(db, rows), totalCount: total?.count ?? 0 }
}

/** All of one vault. */
async function complete(db: Database, rows: readonly Row[]): Promise<KybApplication[]> {
  const [first] = rows
  if (!first) return []
  const policy = await findPolicy(db, first.vaultId)
  const ids = rows.map((row) => row.id)
  const people = await db.orm
    .select({ ...getTableColumns(beneficiaries), verification: identifications.verification })
    .from(beneficiaries)
    // The person's own check has the beneficiary's id, once the link has been opened.
    .leftJoin(
      identifications,
      and(eq(identifications.id, beneficiaries.id), sql`${identifications.origin} = 'beneficiary'`),
    )
    .where(and(isAnyOf(beneficiaries.kybApplicationId, ids), isNull(beneficiaries.removedAt)))
    .orderBy(asc(beneficiaries.position))
  const uploaded = await db.orm.select().from(files).where(isAnyOf(files.kybApplicationId, ids))
  return rows.map((row) => {
    const own = people.filter((person) => person.kybApplicationId === row.id)
    const { encryption } = db
    const content = encryption.openJson<KybContent>(row.content, contentContext(row.id))
    content.beneficiaries.beneficiaries_list = own.map((person) =>
      encryption.openJson<Beneficiary>(person.person, personContext(person.id)),
    )
    const sealed: SealedReview = row.review
      ? encryption.openJson(row.review, reviewContext(row.id))
      : { clientComment: null, corrections: [] }
    return {
      ...row,
      state: stateOf(row),
      content,
      review: row.reviewOutcome &&
        row.reviewReasonCode &&
        row.reviewedAt && {
          outcome: row.reviewOutcome,
          reasonCode: row.reviewReasonCode,
          clientComment: sealed.clientComment,
          findings: sealed.findings ?? [],
          decidedAt: row.reviewedAt,
        },
      corrections: sealed.corrections,
      proposal: row.proposal && encryption.openJson<KybDecision>(row.proposal, proposalContext(row.id)),
      policy,
      files: new Map(
        uploaded
          .filter((file) => file.kybApplicationId === row.id && file.state === 'attached')
          .map((file) => [file.id, encryption.open(file.name, fileContext(file.id)).toString()]),
      ),
      links: new Map(
        own.map(({ id, token, tokenExpiresAt, verification }) => [
          id,
          {
            token: encryption.open(token, tokenContext(id)).toString(),
            expiresAt: tokenExpiresAt,
            verification: verification ?? 'initiated',
            isBegun: verification !== null,
          },
        ]),
      ),
      verified: new Set(own.filter(({ verification }) => verification === 'approved').map(({ id }) => id)),
    }
  })
}

const stateOf = ({ status, completed, correcting, version, pending }: Row): KybState => ({
  status,
  completed,
  correcting,
  version,
  pending,
})
