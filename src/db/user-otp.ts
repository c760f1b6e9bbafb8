/** One-time codes of users: their sealed secrets, and which code was used last. */
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { users } from '../../drizzle/schema.ts'
import type { Database } from './database.ts'

const context = (userId: string) => `users.otp_secret:${userId}`

export interface OtpSecrets {
  /** The one that signs in. */
  readonly current: string | null
  /** The one that was shown and not confirmed yet. */
  readonly pending: string | null
}

export async function readOtpSecrets(db: Database, userId: string): Promise<OtpSecrets> {
  const [row] = await db.orm
    .select({ current: users.otpSecret, pending: users.otpPendingSecret })
    .from(users)
    .where(eq(users.id, userId))
  const open = (sealed: Buffer | null | undefined) =>
    sealed ? db.encryption.open(sealed, context(userId)).toString() : null
  return { current: open(row?.current), pending: open(row?.pending) }
}

/** Whatever is in force stays so until the new secret is confirmed. */
export async function setPendingOtp(db: Database, userId: string, secret: string): Promise<void> {
  await db.orm
    .update(users)
    .set({ otpPendingSecret: db.encryption.seal(secret, context(userId)) })
    .where(eq(users.id, userId))
}

/** The secret that waits comes into force, the step of its first code used up. */
export async function confirmOtp(db: Database, userId: string, step: number): Promise<void> {
  await db.orm
    .update(users)
    .set({
      otpRequiredForLogin: true,
      otpSecret: sql`${users.otpPendingSecret}`,
      otpPendingSecret: null,
      otpUsedStep: step,
    })
    .where(and(eq(users.id, userId), sql`${users.otpPendingSecret} IS NOT NULL`))
}

export async function removeOtp(db: Database, userId: string): Promise<void> {
  await db.orm
    .update(users)
    .set({ otpRequiredForLogin: false, otpSecret: null, otpPendingSecret: null, otpUsedStep: null })
    .where(eq(users.id, userId))
}

/** False when this code, or a later one, was used before: of two sign-ins with one code, one succeeds. */
export async function useOtpStep(db: Database, userId: string, step: number): Promise<boolean> {
  const { rowCount } = await db.orm
    .update(users)
    .set({ otpUsedStep: step })
    .where(and(eq(users.id, userId), or(isNull(users.otpUsedStep), lt(users.otpUsedStep, step))))
  return rowCount === 1
}

export async function isOtpRequired(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ required: users.otpRequiredForLogin })
    .from(users)
    .where(eq(users.id, userId))
  return row?.required ?? false
}
