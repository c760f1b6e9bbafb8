/** The key pairs that sign access tokens, shared by all processes. */
import { desc, sql } from 'drizzle-orm'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { v7 as newId } from 'uuid'
import { signingKeys } from '../../drizzle/schema.ts'
import { type Database, transaction } from './database.ts'
import { sealedFor } from './sealed.ts'

export interface SigningKey {
  readonly id: string
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

/** Newest first; the first call of a deployment makes one. */
export async function readSigningKeys(db: Database): Promise<SigningKey[]> {
  return transaction(db, async (tx) => {
    // Two processes that start together must not sign with different keys.
    await tx.orm.execute(sql`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`)
    const rows = await tx.orm.select().from(signingKeys).orderBy(desc(signingKeys.createdAt))
    if (rows.length === 0) return [await insertSigningKey(tx)]
    return rows.map((row) => ({
      id: row.id,
      publicJwk: row.publicJwk,
      privateJwk: tx.encryption.openJson<JWK>(row.privateJwk, context(row.id)),
    }))
  })
}

const context = (id: string) => sealedFor('signing_keys.private_jwk', id)

async function insertSigningKey(tx: Database): Promise<SigningKey> {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const key = {
    id: newId(),
    privateJwk: await exportJWK(pair.privateKey),
    publicJwk: await exportJWK(pair.publicKey),
  }
  const { kty = '', crv = '', x = '' } = key.publicJwk
  await tx.orm.insert(signingKeys).values({
    id: key.id,
    publicJwk: { kty, crv, x },
    privateJwk: tx.encryption.sealJson(key.privateJwk, context(key.id)),
  })
  return key
}
