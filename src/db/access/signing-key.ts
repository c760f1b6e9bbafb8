/** Queries for the key pairs that sign access tokens. All processes share the keys. */
import { desc, sql } from 'drizzle-orm'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { v7 as newId } from 'uuid'
import { signingKeys } from '../../../drizzle/schema.ts'
import { type Database, transaction } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

const DAY_MS = 86_400_000

export interface SigningKey {
  readonly id: string
  /** Decrypts the key on demand, so that a damaged key does not prevent verification with the other keys. */
  privateJwk(): JWK
  readonly publicJwk: JWK
  /** The age by PostgreSQL's clock, which is the same for all processes. */
  readonly ageMs: number
}

/** Returns the keys, newest first. Creates a key if there is none, or if the newest key is too old. */
export async function readSigningKeys(db: Database, rotationDays: number): Promise<SigningKey[]> {
  const keys = await selectKeys(db)
  return isYoung(keys, rotationDays) ? keys : rotateSigningKey(db, rotationDays)
}

/**
 * Creates a key, unless the newest one is younger than `rotationDays`. Only one of several concurrent processes creates
 * a key.
 */
export async function rotateSigningKey(db: Database, rotationDays = 0): Promise<SigningKey[]> {
  return transaction(db, async (tx) => {
    await tx.orm.execute(sql`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`)
    const keys = await selectKeys(tx)
    if (isYoung(keys, rotationDays)) return keys
    await insertSigningKey(tx)
    // Deletes each key whose successor is older than any valid token.
    await tx.orm.execute(sql`DELETE FROM signing_keys WHERE created_at < (
      SELECT max(created_at) FROM signing_keys WHERE created_at < clock_timestamp() - interval '2 hours')`)
    return selectKeys(tx)
  })
}

const isYoung = ([newest]: readonly SigningKey[], days: number): boolean =>
  newest !== undefined && newest.ageMs < days * DAY_MS

async function selectKeys(db: Database): Promise<SigningKey[]> {
  const rows = await db.orm
    .select({
      id: signingKeys.id,
      publicJwk: signingKeys.publicJwk,
      privateJwk: signingKeys.privateJwk,
      ageMs: sql<number>`(extract(epoch FROM clock_timestamp() - ${signingKeys.createdAt}) * 1000)::float8`,
    })
    .from(signingKeys)
    .orderBy(desc(signingKeys.createdAt))
  return rows.map((row) => ({
    ...row,
    privateJwk: () => db.encryption.unsealJson<JWK>(row.privateJwk, context(row.id)),
  }))
}

const context = (id: string) => sealedFor('signing_keys.private_jwk', id)

async function insertSigningKey(tx: Database): Promise<void> {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const id = newId()
  const { kty = '', crv = '', x = '' } = await exportJWK(pair.publicKey)
  await tx.orm.insert(signingKeys).values({
    id,
    publicJwk: { kty, crv, x },
    privateJwk: tx.encryption.sealJson(await exportJWK(pair.privateKey), context(id)),
  })
}
