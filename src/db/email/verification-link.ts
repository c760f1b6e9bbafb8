/**
 * Queries for links to hosted verification. A link is valid for seven days or until it is replaced. Its token is stored
 * as a hash.
 */

import { and, eq, gt, isNull, type SQLWrapper, sql } from 'drizzle-orm'
import {
  beneficiaries,
  identifications,
  kybApplications,
  vaults,
  verificationLinks,
} from '../../../drizzle/schema.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { REMINDER_DAYS } from '../../domain/email/notice.ts'
import { requestsChanges } from '../../domain/identification/change.ts'
import type { LinkedVerification, VerificationLink } from '../../domain/identification/link.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import { newToken } from '../../storage/random.ts'
import { hasCheck } from '../access/link-language.ts'
import { VAULT_COLUMNS } from '../access/vault.ts'
import { beneficiaryTokenHash } from '../cases/beneficiary.ts'
import { unsealReview } from '../cases/identification.ts'
import { personContext } from '../cases/kyb-application.ts'
import { COMPANY_NAME, unsealCompanyName } from '../cases/title.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'
import { emailInsert } from './email.ts'

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'verification_link')

/** Returns an insert for a combined statement. The new link replaces the identification's earlier one. */
export function saveVerificationLink(
  tx: Database,
  identificationId: string,
  { token, redirectUrl, email }: VerificationLink,
) {
  const seal = (value: string, column: 'redirect_url' | 'email' | 'token') =>
    tx.encryption.seal(value, sealedFor(`verification_links.${column}`, identificationId))
  const insert = tx.orm.insert(verificationLinks)
  const target = verificationLinks.identificationId
  const values = {
    tokenHash: tokenHash(tx, token),
    redirectUrl: typeof redirectUrl === 'string' ? seal(redirectUrl, 'redirect_url') : redirectUrl,
    expiresAt: EXPIRY,
    codeId: null,
    createdAt: sql`clock_timestamp()`,
  }
  const sealed = seal(token, 'token')
  if (email === null) {
    const removed = { ...values, email: null, token: null, reminders: 0, remindAt: null }
    return insert.values({ identificationId, ...removed }).onConflictDoUpdate({ target, set: removed })
  }
  if (email === undefined) {
    const set = {
      ...values,
      token: sql`CASE WHEN ${verificationLinks.email} IS NOT NULL THEN ${sealed}::bytea END`,
    }
    return insert.values({ identificationId, ...values }).onConflictDoUpdate({ target, set })
  }
  const sent = { ...values, email: seal(email, 'email'), token: sealed, reminders: 0 }
  const remindAt = sql`CASE WHEN NOT ${verificationLinks.remindersDeclined} THEN ${FIRST_REMINDER} END`
  return insert
    .values({ identificationId, ...sent, remindAt: FIRST_REMINDER })
    .onConflictDoUpdate({ target, set: { ...sent, remindAt } })
}

/** When the first reminder of a new link is due. */
const FIRST_REMINDER = sql`clock_timestamp() + make_interval(days => ${sql.raw(String(REMINDER_DAYS[0]))})`

/** Returns inserts for a combined statement: the link, and the email with the link if there is an address. */
export const linkInserts = (
  tx: Database,
  of: { readonly vaultId: string; readonly identificationId: string },
  link: VerificationLink,
): SQLWrapper[] => [
  saveVerificationLink(tx, of.identificationId, link),
  ...(link.email ? [emailInsert(tx, { ...of, notice: 'link', address: link.email })] : []),
]

const EXPIRY = sql`clock_timestamp() + interval '7 days'`

const CHECK_ID = sql<string>`coalesce(${beneficiaries.checkId}, ${beneficiaries.id})`

/**
 * Returns the identification or the beneficiary's verification to which a link leads. Returns null if the link is not
 * valid.
 */
export const findLinkedVerification = async (
  db: Database,
  token: string,
): Promise<LinkedVerification | null> => (await findHosted(db, token)) ?? (await findOfBeneficiary(db, token))

const ofHosted = (db: Database, token: string) => eq(verificationLinks.tokenHash, tokenHash(db, token))

const ofBeneficiary = (db: Database, token: string) =>
  and(eq(beneficiaries.tokenHash, beneficiaryTokenHash(db, token)), isNull(beneficiaries.removedAt))

async function findHosted(db: Database, token: string): Promise<LinkedVerification | null> {
  const { id, kind, origin, waitingOn, review: sealed } = identifications
  const [row] = await db.orm
    .select({ id, vault: VAULT_COLUMNS, kind, origin, waitingOn, sealed, kybId: kybApplications.id })
    .from(verificationLinks)
    .innerJoin(identifications, eq(id, verificationLinks.identificationId))
    .leftJoin(kybApplications, eq(kybApplications.identificationId, id))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .where(and(ofHosted(db, token), gt(verificationLinks.expiresAt, sql`clock_timestamp()`)))
  if (!row) return null
  const { sealed: review, ...linked } = row
  return { ...linked, requestsChanges: requestsChanges(unsealReview(db, linked.id, review)), named: null }
}

async function findOfBeneficiary(db: Database, token: string): Promise<LinkedVerification | null> {
  const { waitingOn, review: sealed } = identifications
  const [row] = await db.orm
    .select({
      id: CHECK_ID,
      vault: VAULT_COLUMNS,
      waitingOn,
      sealed,
      beneficiary: { id: beneficiaries.id, person: beneficiaries.person },
      company: COMPANY_NAME,
    })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .innerJoin(vaults, eq(vaults.id, kybApplications.vaultId))
    .leftJoin(identifications, eq(identifications.id, CHECK_ID))
    .where(and(ofBeneficiary(db, token), gt(beneficiaries.tokenExpiresAt, sql`clock_timestamp()`)))
  if (!row) return null
  const { beneficiary, company, sealed: review, ...linked } = row
  const person = db.encryption.unsealJson<Beneficiary>(beneficiary.person, personContext(beneficiary.id))
  return {
    ...linked,
    kind: 'person',
    origin: 'beneficiary',
    waitingOn: linked.waitingOn ?? 'applicant',
    requestsChanges: requestsChanges(unsealReview(db, linked.id, review)),
    kybId: null,
    named: {
      fullName: person.full_name ?? '',
      roles: person.roles ?? [],
      companyName: unsealCompanyName(db.encryption, company),
    },
  }
}

export interface ExpiredLink {
  readonly vault: Vault
  /** The name of the company whose form can renew the link of its owner or director, or null if there is none. */
  readonly companyName: string | null
}

/** Returns who can renew a link, which must have expired, or null if there is no such link. */
export async function findExpiredLink(db: Database, token: string): Promise<ExpiredLink | null> {
  const { waitingOn } = identifications
  const [hosted] = await db.orm
    .select({ vault: VAULT_COLUMNS })
    .from(verificationLinks)
    .innerJoin(identifications, eq(identifications.id, verificationLinks.identificationId))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .where(ofHosted(db, token))
  if (hosted) return { ...hosted, companyName: null }
  const [invited] = await db.orm
    .select({
      vault: VAULT_COLUMNS,
      company: COMPANY_NAME,
      // The form offers a link until the person has submitted, and ends with the decision on the company.
      canRenew: sql<boolean>`${kybApplications.status} = 'open' AND coalesce(${waitingOn}, 'applicant') = 'applicant'`,
    })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .innerJoin(vaults, eq(vaults.id, kybApplications.vaultId))
    .leftJoin(identifications, eq(identifications.id, CHECK_ID))
    .where(ofBeneficiary(db, token))
  if (!invited) return null
  const { vault, company, canRenew } = invited
  return { vault, companyName: (canRenew && unsealCompanyName(db.encryption, company)) || null }
}

/**
 * Returns the link for an email, and replaces a link that has expired or expires within an hour. The identification
 * must be locked.
 */
export async function getLinkForEmail(tx: Database, identificationId: string) {
  const { token, expiresAt } = verificationLinks
  const [row] = await tx.orm
    .select({ token, expiresAt })
    .from(verificationLinks)
    .where(
      and(
        eq(verificationLinks.identificationId, identificationId),
        gt(expiresAt, sql`clock_timestamp() + interval '1 hour'`),
      ),
    )
  const context = sealedFor('verification_links.token', identificationId)
  if (row?.token)
    return { token: tx.encryption.unseal(row.token, context).toString(), expiresAt: row.expiresAt }
  const renewed = newToken()
  // Keeps `created_at`, because the client did not request this link.
  const [saved] = await tx.orm
    .update(verificationLinks)
    .set({
      tokenHash: tokenHash(tx, renewed),
      token: tx.encryption.seal(renewed, context),
      expiresAt: EXPIRY,
    })
    .where(eq(verificationLinks.identificationId, identificationId))
    .returning({ expiresAt })
  if (!saved) throw new Error('the identification has no link')
  return { token: renewed, ...saved }
}

/** Returns whether the link is current, and prevents its replacement until the transaction ends. */
export async function getLinkForUpdate(
  tx: Database,
  { id, origin }: Pick<LinkedVerification, 'id' | 'origin'>,
  token: string,
): Promise<boolean> {
  const rows =
    origin === 'beneficiary'
      ? await tx.orm
          .select({ id: beneficiaries.id })
          .from(beneficiaries)
          .where(and(hasCheck(id), eq(beneficiaries.tokenHash, beneficiaryTokenHash(tx, token))))
          .for('share')
      : await tx.orm
          .select({ id: verificationLinks.identificationId })
          .from(verificationLinks)
          .where(
            and(
              eq(verificationLinks.identificationId, id),
              eq(verificationLinks.tokenHash, tokenHash(tx, token)),
            ),
          )
          .for('share')
  return rows.length > 0
}

/** Prevents new links for the verification until the transaction ends. */
export async function lockLinks(tx: Database, id: string): Promise<void> {
  await tx.orm.select({ id: beneficiaries.id }).from(beneficiaries).where(hasCheck(id)).for('share')
  await tx.orm
    .select({ id: verificationLinks.identificationId })
    .from(verificationLinks)
    .where(eq(verificationLinks.identificationId, id))
    .for('share')
}

/** Returns when the identification's link expires. Throws if the identification has no link. */
export async function getLinkExpiry(db: Database, identificationId: string): Promise<Date> {
  const [row] = await db.orm
    .select({ expiresAt: verificationLinks.expiresAt })
    .from(verificationLinks)
    .where(eq(verificationLinks.identificationId, identificationId))
  if (!row) throw new Error('the link was not written')
  return row.expiresAt
}

/** Returns the URL to which the applicant returns after the verification, or null if there is none. */
export async function findRedirectUrl(db: Database, identificationId: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ redirectUrl: verificationLinks.redirectUrl })
    .from(verificationLinks)
    .where(eq(verificationLinks.identificationId, identificationId))
  if (!row?.redirectUrl) return null
  return db.encryption
    .unseal(row.redirectUrl, sealedFor('verification_links.redirect_url', identificationId))
    .toString()
}
