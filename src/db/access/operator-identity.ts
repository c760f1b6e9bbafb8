/** Queries for the identities of operators at the OpenID provider. */
import { and, eq, inArray } from 'drizzle-orm'
import { operatorIdentities, provisionedOperators } from '../../../drizzle/schema.ts'
import type { Database } from '../connection/database.ts'

/**
 * A person at the provider. The email does not identify the person, because it can change or pass to another person.
 */
interface Subject {
  readonly issuer: string
  readonly subject: string
}

const subjectHash = (db: Database, { subject }: Pick<Subject, 'subject'>) =>
  db.encryption.hash(subject, 'provider_subject')

export async function findUserIdBySubject(db: Database, subject: Subject): Promise<string | null> {
  const [row] = await db.orm
    .select({ userId: operatorIdentities.userId })
    .from(operatorIdentities)
    .where(
      and(
        eq(operatorIdentities.issuer, subject.issuer),
        eq(operatorIdentities.subjectHash, subjectHash(db, subject)),
      ),
    )
  return row?.userId ?? null
}

export const hasIdentity = async (db: Database, userId: string): Promise<boolean> =>
  (await db.orm.$count(operatorIdentities, eq(operatorIdentities.userId, userId))) > 0

/** Returns the user that the directory created with one of these IDs, or null if there is none. */
export async function findUserIdByDirectoryId(db: Database, ids: readonly string[]): Promise<string | null> {
  const [row] = await db.orm
    .select({ userId: provisionedOperators.userId })
    .from(provisionedOperators)
    .where(inArray(provisionedOperators.externalId, [...ids]))
    .limit(1)
  return row?.userId ?? null
}

/** Returns whether the provider knows the user. If it does, it can grant the user roles through groups at any time. */
export const isKnownToProvider = async (db: Database, userId: string): Promise<boolean> =>
  (await hasIdentity(db, userId)) ||
  (await db.orm.$count(provisionedOperators, eq(provisionedOperators.userId, userId))) > 0

export async function deleteIdentities(tx: Database, userId: string): Promise<void> {
  await tx.orm.delete(operatorIdentities).where(eq(operatorIdentities.userId, userId))
}

/** Connects an identity to the user. Throws a violation of the primary key if the identity belongs to another user. */
export async function insertIdentity(db: Database, userId: string, subject: Subject): Promise<void> {
  await db.orm
    .insert(operatorIdentities)
    .values({ issuer: subject.issuer, subjectHash: subjectHash(db, subject), userId })
}
