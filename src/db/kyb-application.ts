/** KYB applications: one value made of the application's row, its beneficiaries and its files. */
import { and, asc, count, desc, eq, sql } from 'drizzle-orm'
import { beneficiaries, files, kybApplications } from '../../drizzle/schema.ts'
import type { Page } from '../contracts/common.ts'
import { type KybState, kybWaitingOn } from '../domain/kyb-application.ts'
import type { Correction } from '../domain/kyb-content.ts'
import type { Beneficiary, KybContent } from '../domain/kyb-fields.ts'
import type { KybRecord } from '../domain/kyb-transition.ts'
import { sameHash } from '../storage/encryption.ts'
import { newToken } from '../storage/random.ts'
import { isAnyOf } from './any-of.ts'
import type { Database } from './database.ts'
import { fileContext } from './file.ts'
import { companyHashes } from './lookup.ts'
import { sealedFor } from './sealed.ts'

export interface KybApplication extends KybRecord {
  readonly vaultId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly createdAt: Date
  /** Tokens of the beneficiaries' hosted verification by beneficiary. */
  readonly tokens: ReadonlyMap<string, string>
}

type Row = typeof kybApplications.$inferSelect
type SealedReview = { clientComment: string | null; corrections: readonly Correction[] }

export const contentContext = (id: string) => sealedFor('kyb_applications.content', id)
const reviewContext = (id: string) => sealedFor('kyb_applications.review', id)
const personContext = (id: string) => sealedFor('beneficiaries.person', id)
const tokenContext = (id: string) => sealedFor('beneficiaries.token', id)

export interface NewKybApplication
  extends Pick<
    KybApplication,
    | 'id'
    | 'vaultId'
    | 'identificationId'
    | 'externalId'
    | 'clientKyc'
    | 'internal'
    | 'content'
    | 'currentlyDue'
    | 'state'
  > {
  /** Only its hash is kept. */
  readonly password: string
}

export async function insertKybApplication(tx: Database, application: NewKybApplication): Promise<void> {
  const { id, content, state, password, ...rest } = application
  await tx.orm.insert(kybApplications).values({
    ...rest,
    ...state,
    id,
    currentlyDue: [...rest.currentlyDue],
    waitingOn: kybWaitingOn(state),
    passwordHash: passwordHash(tx, id, password),
    content: sealContent(tx, id, content),
    ...companyHashes(tx, content),
  })
  await saveBeneficiaries(tx, id, [], content.beneficiaries.beneficiaries_list)
}

/** Beneficiaries have rows of their own; the application's row holds everything else. */
function sealContent(db: Database, id: string, content: KybContent): Buffer {
  const { beneficiaries_list: _, ...beneficiariesSection } = content.beneficiaries
  return db.encryption.sealJson({ ...content, beneficiaries: beneficiariesSection }, contentContext(id))
}

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

const ofVault = (vaultId: string, id: string) =>
  and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.id, id))

/** Whose application it is, for those who belong to no vault. */
export async function vaultOfKybApplication(db: Database, id: string): Promise<string | null> {
  const { vaultId } = kybApplications
  const [row] = await db.orm.select({ vaultId }).from(kybApplications).where(eq(kybApplications.id, id))
  return row?.vaultId ?? null
}

const passwordHash = (db: Database, id: string, password: string) =>
  db.encryption.hash(`${id}:${password}`, 'kyb_password')

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

/** The earlier password is good no more. */
export async function replaceKybPassword(
  tx: Database,
  vaultId: string,
  id: string,
  password: string,
): Promise<void> {
  await tx.orm
    .update(kybApplications)
    .set({ passwordHash: passwordHash(tx, id, password) })
    .where(ofVault(vaultId, id))
}

/** False for a wrong password as for an application that is not this vault's. */
export async function isKybPassword(
  db: Database,
  vaultId: string,
  id: string,
  password: string,
): Promise<boolean> {
  const [row] = await db.orm
    .select({ hash: kybApplications.passwordHash })
    .from(kybApplications)
    .where(ofVault(vaultId, id))
  return row !== undefined && sameHash(row.hash, passwordHash(db, id, password))
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

async function complete(db: Database, rows: readonly Row[]): Promise<KybApplication[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const people = await db.orm
    .select()
    .from(beneficiaries)
    .where(isAnyOf(beneficiaries.kybApplicationId, ids))
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
          decidedAt: row.reviewedAt,
        },
      corrections: sealed.corrections,
      files: new Map(
        uploaded
          .filter((file) => file.kybApplicationId === row.id && file.state === 'attached')
          .map((file) => [file.id, encryption.open(file.name, fileContext(file.id)).toString()]),
      ),
      tokens: new Map(own.map(({ id, token }) => [id, encryption.open(token, tokenContext(id)).toString()])),
      verified: new Set(own.filter(({ verification }) => verification === 'approved').map(({ id }) => id)),
    }
  })
}

const stateOf = ({ status, completed, correcting, version }: Row): KybState => ({
  status,
  completed,
  correcting,
  version,
})

/** Writes everything that a command may have changed. */
export async function saveKybApplication(
  tx: Database,
  before: KybApplication,
  application: KybApplication,
): Promise<void> {
  const { id, state, content, review, corrections, currentlyDue } = application
  const waitingOn = kybWaitingOn(state)
  await tx.orm
    .update(kybApplications)
    .set({
      ...state,
      waitingOn,
      waitingSince: sql`CASE WHEN waiting_on = ${waitingOn} THEN waiting_since ELSE clock_timestamp() END`,
      currentlyDue: [...currentlyDue],
      content: sealContent(tx, id, content),
      ...companyHashes(tx, content),
      reviewOutcome: review?.outcome ?? null,
      reviewReasonCode: review?.reasonCode ?? null,
      reviewedAt: review?.decidedAt ?? null,
      review:
        review &&
        tx.encryption.sealJson(
          { clientComment: review.clientComment, corrections } satisfies SealedReview,
          reviewContext(id),
        ),
    })
    .where(ofVault(application.vaultId, id))
  await saveBeneficiaries(
    tx,
    id,
    before.content.beneficiaries.beneficiaries_list,
    content.beneficiaries.beneficiaries_list,
  )
}

/** Writes the rows of those who are new, changed or gone since `before`. */
async function saveBeneficiaries(
  tx: Database,
  id: string,
  before: readonly Beneficiary[],
  after: readonly Beneficiary[],
): Promise<void> {
  const gone = before.filter((person) => !after.some((other) => other.external_id === person.external_id))
  if (gone.length > 0) {
    const ids = gone.map((person) => person.external_id)
    await tx.orm.delete(beneficiaries).where(isAnyOf(beneficiaries.id, ids))
  }
  const rows = after.flatMap((person, position) => {
    if (JSON.stringify(before[position]) === JSON.stringify(person)) return []
    // Kept only for somebody new: the link of a person who is already there does not change.
    const token = newToken()
    return [
      {
        id: person.external_id,
        kybApplicationId: id,
        position,
        person: tx.encryption.sealJson(person, personContext(person.external_id)),
        token: tx.encryption.seal(token, tokenContext(person.external_id)),
        tokenHash: tx.encryption.hash(token, 'beneficiary_link'),
      },
    ]
  })
  if (rows.length === 0) return
  await tx.orm
    .insert(beneficiaries)
    .values(rows)
    .onConflictDoUpdate({
      target: beneficiaries.id,
      set: { position: sql`excluded.position`, person: sql`excluded.person` },
    })
}
