/** Finding identifications by an exact e-mail or name, by keyed hashes: nothing sealed is opened for it. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../drizzle/schema.ts'
import type { KybContent } from '../domain/kyb-fields.ts'
import type { Page } from '../domain/page.ts'
import type { Profile } from '../domain/profile.ts'
import type { Encryption } from '../storage/encryption.ts'
import type { Database } from './database.ts'
import type { QueueEntry } from './queue.ts'

interface Wanted {
  readonly email?: string | undefined
  /** A company's legal name, or the first name of a person whose `surname` is given. */
  readonly name?: string | undefined
  readonly surname?: string | undefined
}

/** The same text however it was typed. */
const normalised = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** What is stored beside a profile, and what is looked for; null where there is nothing to find it by. */
function hashes({ hash }: Encryption, { email, name, surname = '' }: Wanted) {
  const fullName = [name ?? '', surname].map(normalised)
  return {
    emailHash: email ? hash(normalised(email), 'lookup_email') : null,
    nameHash: name || surname ? hash(JSON.stringify(fullName), 'lookup_name') : null,
  }
}

export const profileHashes = ({ encryption }: Database, { email, name, surname }: Profile) =>
  hashes(encryption, { email, name, surname })

export const companyHashes = ({ encryption }: Database, { nature_of_business }: KybContent) =>
  hashes(encryption, { email: nature_of_business.email, name: nature_of_business.legal_company_name })

/** In all vaults, newest first: those that match everything that is wanted. */
export async function lookUpIdentifications(db: Database, wanted: Wanted, { page, per_page }: Page) {
  const { emailHash, nameHash } = hashes(db.encryption, wanted)
  const conditions: SQL[] = []
  if (emailHash) conditions.push(among('emailHash', emailHash))
  if (nameHash) conditions.push(among('nameHash', nameHash))
  const matches = sql`FROM identifications WHERE ${sql.join(conditions, sql` AND `)}`
  const entries = await db.orm.execute<QueueEntry>(sql`
    SELECT 'identification' AS kind, id, vault_id, status, waiting_on,
      floor(extract(epoch FROM waiting_since))::int AS waiting_since
    ${matches} ORDER BY id DESC LIMIT ${per_page} OFFSET ${(page - 1) * per_page}`)
  const rows = await db.orm.execute<{ count: number }>(sql`SELECT count(*)::int AS count ${matches}`)
  return { entries, totalCount: rows[0]?.count ?? 0 }
}

/** The company's own data are in its application: each of the two tables has an index of its own. */
const among = (column: 'emailHash' | 'nameHash', hash: Buffer): SQL => sql`id IN (
  SELECT ${identifications.id} FROM ${identifications} WHERE ${eq(identifications[column], hash)}
  UNION ALL
  SELECT ${kybApplications.identificationId} FROM ${kybApplications} WHERE ${eq(kybApplications[column], hash)})`
