/** Queries for the one-time codes of users, with the encrypted secrets and the latest used code. */
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { users } from '../../../drizzle/schema.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

const CONTEXTS = { current: 'users.otp_secret', pending: 'users.otp_pending_secret' } as const

const seal = (db: Database, which: keyof typeof CONTEXTS, userId: string, secret: string): Buffer =>
  db.encryption.seal(secret, sealedFor(CONTEXTS[which], userId))

/**
 * Returns the current or the pending secret with PostgreSQL's time, or null if there is no such secret. A process whose
 * own clock is wrong by a minute would refuse every code.
 */
export async function readOtpSecret(db: Database, which: keyof typeof CONTEXTS, userId: string) {
  const now = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::float8`
  const [row] = await db.orm
    .select({ current: users.otpSecret, pending: users.otpPendingSecret, now })
    .from(users)
    .where(eq(users.id, userId))
  const sealed = row?.[which]
  if (!sealed) return null
  return { secret: db.encryption.unseal(sealed, sealedFor(CONTEXTS[which], userId)).toString(), now: row.now }
}

/** Stores a pending secret. The current secret remains valid until the user confirms the new one. */
export async function setPendingOtp(db: Database, userId: string, secret: string): Promise<void> {
  await db.orm
    .update(users)
    .set({ otpPendingSecret: seal(db, 'pending', userId, secret) })
    .where(eq(users.id, userId))
}

/** Makes the secret the current one, and marks the code that confirmed it as used. */
export async function confirmOtp(db: Database, userId: string, secret: string, step: number): Promise<void> {
  await db.orm
    .update(users)
    .set({
      otpRequiredForLogin: true,
      otpSecret: seal(db, 'current', userId, secret),
      otpPendingSecret: null,
      otpUsedStep: step,
    })
    .where(eq(users.id, userId))
}

export async function removeOtp(db: Database, userId: string): Promise<void> {
  await db.orm
    .update(users)
    .set({ otpRequiredForLogin: false, otpSecret: null, otpPendingSecret: null, otpUsedStep: null })
    .where(eq(users.id, userId))
}

/**
 * Marks a code as used. Returns false if this code or a later one has already been used. Only one of two sign-ins with
 * the same code succeeds.
 */
export async function useOtpStep(db: Database, userId: string, step: number): Promise<boolean> {
  const { count } = await db.orm
    .update(users)
    .set({ otpUsedStep: step })
    .where(and(eq(users.id, userId), or(isNull(users.otpUsedStep), lt(users.otpUsedStep, step))))
  return count === 1
}

export async function isOtpRequired(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ required: users.otpRequiredForLogin })
    .from(users)
    .where(eq(users.id, userId))
  return row?.required ?? false
}
