/** Links to hosted verification: a token's hash, good for seven days or until the next link. */
import { and, eq, gt, sql } from 'drizzle-orm'
import {
  beneficiaries,
  identifications,
  kybApplications,
  vaults,
  verificationLinks,
} from '../../drizzle/schema.ts'
import type { Verification } from '../domain/identification.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'
import { VAULT_COLUMNS, type Vault } from './vault.ts'

export interface VerificationLink {
  readonly token: string
  /** Left out, that of the earlier link stays. */
  readonly redirectUrl?: string | null
}

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'verification_link')

/** The identification's earlier link is good no more. */
export async function saveVerificationLink(
  tx: Database,
  identificationId: string,
  { token, redirectUrl }: VerificationLink,
): Promise<void> {
  const values = {
    tokenHash: tokenHash(tx, token),
    redirectUrl:
      typeof redirectUrl === 'string'
        ? tx.encryption.seal(redirectUrl, sealedFor('verification_links.redirect_url', identificationId))
        : redirectUrl,
    expiresAt: sql`clock_timestamp() + interval '7 days'`,
  }
  await tx.orm
    .insert(verificationLinks)
    .values({ identificationId, ...values })
    .onConflictDoUpdate({ target: verificationLinks.identificationId, set: values })
}

export interface LinkedVerification {
  readonly vault: Vault
  readonly kind: 'person' | 'company'
  readonly verification: Verification
  /** The form that the link opens, for a company. */
  readonly kyb: { readonly id: string; readonly vaultId: string; readonly identificationId: string } | null
}

/** What a link leads to, a beneficiary's own or an identification's; null when it is good no more. */
export async function findLinkedVerification(
  db: Database,
  token: string,
): Promise<LinkedVerification | null> {
  const [hosted] = await db.orm
    .select({
      vault: VAULT_COLUMNS,
      kind: identifications.kind,
      verification: identifications.verification,
      kyb: {
        id: kybApplications.id,
        vaultId: kybApplications.vaultId,
        identificationId: kybApplications.identificationId,
      },
    })
    .from(verificationLinks)
    .innerJoin(identifications, eq(identifications.id, verificationLinks.identificationId))
    .leftJoin(kybApplications, eq(kybApplications.identificationId, identifications.id))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .where(
      and(
        eq(verificationLinks.tokenHash, tokenHash(db, token)),
        gt(verificationLinks.expiresAt, sql`clock_timestamp()`),
      ),
    )
  if (hosted) return hosted
  const [person] = await db.orm
    .select({ vault: VAULT_COLUMNS, verification: beneficiaries.verification })
    .from(beneficiaries)
    .innerJoin(kybApplications, eq(kybApplications.id, beneficiaries.kybApplicationId))
    .innerJoin(vaults, eq(vaults.id, kybApplications.vaultId))
    .where(eq(beneficiaries.tokenHash, db.encryption.hash(token, 'beneficiary_link')))
  return person ? { ...person, kind: 'person', kyb: null } : null
}
