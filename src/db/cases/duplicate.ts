/** Others of any vault that may be the same company or person: found by keyed hashes, each for a reason. */
import { type SQL, sql } from 'drizzle-orm'
import type { Duplicates } from '../../domain/decision/review.ts'
import type { Entity } from '../../domain/entity.ts'
import type { DuplicateReason } from '../../domain/screening/duplicate.ts'
import type { Database } from '../connection/database.ts'
import { withTitles } from './title.ts'

interface Row extends Record<string, unknown> {
  readonly kind: Entity
  readonly id: string
  readonly vault_id: string
  readonly vault_name: string
  readonly status: string
  readonly reasons: readonly DuplicateReason[]
}

/** As many as are shown. */
const MOST = 10
/** Of each reason: what thousands share says little about any of them. */
const MOST_OF_A_REASON = 100

const found = (kind: Entity, reason: DuplicateReason, id: SQL, from: SQL): SQL =>
  sql`(SELECT ${kind} AS kind, ${id} AS id, ${reason} AS reason ${from} LIMIT ${MOST_OF_A_REASON})`

/** The persons of an application have the ids of their own verifications. */
const PEOPLE_OF = (id: string) =>
  sql`SELECT id FROM beneficiaries WHERE kyb_application_id = ${id} AND removed_at IS NULL`

const samePerson = (others: SQL, own: SQL): SQL[] => [
  found(
    'identification',
    'email',
    sql`other.id`,
    sql`FROM identifications AS other WHERE other.origin <> 'beneficiary' AND ${others} AND other.email_hash IN (
      SELECT email_hash FROM identifications WHERE id IN (${own})
      UNION SELECT email_hash FROM beneficiaries WHERE id IN (${own}))`,
  ),
  found(
    'identification',
    'name_and_birth_date',
    sql`other.id`,
    sql`FROM identifications AS other WHERE ${others}
      AND other.person_hash IN (SELECT person_hash FROM identifications WHERE id IN (${own}))`,
  ),
  found(
    'kyb',
    'email',
    sql`other.kyb_application_id`,
    sql`FROM beneficiaries AS other WHERE ${others} AND other.removed_at IS NULL AND other.email_hash IN (
      SELECT email_hash FROM identifications WHERE id IN (${own})
      UNION SELECT email_hash FROM beneficiaries WHERE id IN (${own}))`,
  ),
]

const sameCompany = (id: string): SQL[] =>
  (
    [
      ['registration_number', sql`registration_hash`],
      ['company_name', sql`name_hash`],
      ['email', sql`email_hash`],
    ] as const
  ).map(([reason, hash]) =>
    found(
      'kyb',
      reason,
      sql`id`,
      sql`FROM kyb_applications
        WHERE id <> ${id} AND ${hash} = (SELECT ${hash} FROM kyb_applications WHERE id = ${id})`,
    ),
  )

const LIKE: Record<Entity, (id: string) => SQL[]> = {
  kyb: (id) => [...sameCompany(id), ...samePerson(sql`other.id NOT IN (${PEOPLE_OF(id)})`, PEOPLE_OF(id))],
  identification: (id) => samePerson(sql`other.id <> ${id}`, sql`SELECT ${id}::uuid AS id`),
}

export async function findDuplicates(
  db: Database,
  { entity, id }: { readonly entity: Entity; readonly id: string },
): Promise<Duplicates> {
  const rows = await db.orm.execute<Row>(sql`
    WITH likely AS (
      SELECT kind, id, array_agg(DISTINCT reason) AS reasons
      FROM (${sql.join(LIKE[entity](id), sql` UNION ALL `)}) AS found
      GROUP BY kind, id
    )
    SELECT likely.*, vaults.id AS vault_id, vaults.name AS vault_name,
      coalesce(application.status, identification.status) AS status
    FROM likely
    LEFT JOIN kyb_applications AS application ON likely.kind = 'kyb' AND application.id = likely.id
    LEFT JOIN identifications AS identification ON likely.kind = 'identification' AND identification.id = likely.id
    JOIN vaults ON vaults.id = coalesce(application.vault_id, identification.vault_id)
    ORDER BY likely.id DESC LIMIT ${MOST + 1}`)
  const titled = await withTitles(db, rows.slice(0, MOST))
  return {
    duplicates: titled.map(({ kind, id, title, vault_id, vault_name, status, reasons }) => ({
      kind,
      id,
      title,
      vault: { id: vault_id, name: vault_name },
      status,
      reasons,
    })),
    areMore: rows.length > MOST,
  }
}
