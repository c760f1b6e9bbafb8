/** Queries that find possible duplicates of a company or person through keyed hashes. */
import { type SQL, sql } from 'drizzle-orm'
import type { VaultScope } from '../../domain/access/grant.ts'
import { ENTITY_KINDS, type Entity } from '../../domain/entity/entity.ts'
import type { Duplicate, Duplicates } from '../../domain/review/review.ts'
import type { DuplicateReason } from '../../domain/screening/duplicate.ts'
import { addTitles } from '../cases/title.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'

const MAX_DUPLICATES = 10
/**
 * The maximum number of entities per reason. A value that thousands of entities share is no evidence of a duplicate.
 */
const MAX_PER_REASON = 100

/** Cases that match a case for one reason. */
interface Match {
  readonly kind: Entity
  readonly reason: DuplicateReason
  readonly id: SQL
  readonly from: SQL
}

/** Returns a query for the matches, with at most `limit` for each reason. */
const queryOf = (matches: readonly Match[], limit: number): SQL =>
  sql.join(
    matches.map(
      ({ kind, reason, id, from }) =>
        sql`(SELECT ${kind} AS kind, ${id} AS id, ${reason} AS reason ${from} LIMIT ${limit})`,
    ),
    sql` UNION ALL `,
  )

/**
 * The identifications and beneficiaries to exclude, because earlier checks of the same beneficiaries are not
 * duplicates.
 */
interface Own {
  readonly checks: SQL
  readonly people: SQL
  readonly scope: VaultScope
}

const peopleOf = (kybId: SQL, column: SQL) =>
  sql`SELECT ${column} FROM beneficiaries WHERE kyb_application_id = ${kybId} AND removed_at IS NULL`

const otherCheck = ({ checks, people }: Own) =>
  sql`other.id NOT IN (${checks}) AND other.id NOT IN (${people})
    AND (other.beneficiary_id IS NULL OR other.beneficiary_id NOT IN (${people}))`
const otherPerson = ({ people }: Own) => sql`other.id NOT IN (${people})`

const emailsOf = ({ checks, people }: Own) =>
  sql`SELECT email_hash FROM identifications WHERE id IN (${checks})
    UNION SELECT email_hash FROM beneficiaries WHERE id IN (${people})`

const samePerson = (own: Own): Match[] => [
  {
    kind: 'identification',
    reason: 'email',
    id: sql`other.id`,
    from: sql`FROM identifications AS other WHERE other.origin <> 'beneficiary' AND ${otherCheck(own)}
      AND ${inScope(sql`other.vault_id`, own.scope)}
      AND other.email_hash IN (${emailsOf(own)})`,
  },
  {
    kind: 'identification',
    reason: 'name_and_birth_date',
    id: sql`other.id`,
    from: sql`FROM identifications AS other WHERE ${otherCheck(own)}
      AND ${inScope(sql`other.vault_id`, own.scope)}
      AND other.person_hash IN (SELECT person_hash FROM identifications WHERE id IN (${own.checks}))`,
  },
  {
    kind: 'kyb',
    reason: 'email',
    id: sql`other.kyb_application_id`,
    from: sql`FROM beneficiaries AS other JOIN kyb_applications AS its ON its.id = other.kyb_application_id
      WHERE ${otherPerson(own)} AND other.removed_at IS NULL AND ${inScope(sql`its.vault_id`, own.scope)}
      AND other.email_hash IN (${emailsOf(own)})`,
  },
]

const sameCompany = (id: SQL, scope: VaultScope): Match[] =>
  (
    [
      ['registration_number', sql`registration_hash`],
      ['company_name', sql`name_hash`],
      ['email', sql`email_hash`],
    ] as const
  ).map(([reason, hash]) => ({
    kind: 'kyb',
    reason,
    id: sql`id`,
    from: sql`FROM kyb_applications
      WHERE id <> ${id} AND ${inScope(sql`vault_id`, scope)} AND ${hash} = (SELECT ${hash} FROM kyb_applications WHERE id = ${id})`,
  }))

/** Returns the matches of the case with this ID, which can be a column. */
const MATCHES: Record<Entity, (id: SQL, scope: VaultScope) => Match[]> = {
  kyb: (id, scope) => [
    ...sameCompany(id, scope),
    ...samePerson({
      checks: peopleOf(id, sql`coalesce(check_id, id)`),
      people: peopleOf(id, sql`id`),
      scope,
    }),
  ],
  identification: (id, scope) =>
    samePerson({
      scope,
      checks: sql`SELECT ${id}`,
      people: sql`SELECT coalesce(beneficiary_id, id) FROM identifications WHERE id = ${id}`,
    }),
}

export async function findDuplicates(
  db: Database,
  { entity, id }: { readonly entity: Entity; readonly id: string },
  scope: VaultScope,
): Promise<Duplicates> {
  const rows = await db.orm.execute<Omit<Duplicate, 'title'> & Record<string, unknown>>(sql`
    WITH likely AS (
      SELECT kind, id, array_agg(DISTINCT reason) AS reasons
      FROM (${queryOf(MATCHES[entity](sql`${id}::uuid`, scope), MAX_PER_REASON)}) AS found
      GROUP BY kind, id
    )
    SELECT likely.*, json_build_object('id', vaults.id, 'name', vaults.name) AS vault,
      coalesce(application.status, identification.status) AS status
    FROM likely
    LEFT JOIN kyb_applications AS application ON likely.kind = 'kyb' AND application.id = likely.id
    LEFT JOIN identifications AS identification ON likely.kind = 'identification' AND identification.id = likely.id
    JOIN vaults ON vaults.id = coalesce(application.vault_id, identification.vault_id)
    ORDER BY likely.id DESC LIMIT ${MAX_DUPLICATES + 1}`)
  const duplicates = await addTitles(db, rows.slice(0, MAX_DUPLICATES))
  return { duplicates, areMore: rows.length > MAX_DUPLICATES }
}

/**
 * Returns the reasons why cases have duplicates in the vaults of the scope, keyed by case. Omits cases without
 * duplicates. Reads all cases in one statement, without encrypted data.
 */
export async function findDuplicateReasons(
  db: Database,
  cases: readonly { readonly kind: Entity; readonly id: string }[],
  scope: VaultScope,
): Promise<ReadonlyMap<string, readonly DuplicateReason[]>> {
  const parts = ENTITY_KINDS.flatMap((kind) => {
    const ids = cases.filter((each) => each.kind === kind).map(({ id }) => id)
    // One match for each reason is enough.
    const matches = queryOf(MATCHES[kind](sql`own.id`, scope), 1)
    return ids.length === 0
      ? []
      : [
          sql`SELECT own.id, matches.reason FROM unnest(${sql.param(ids)}::uuid[]) AS own (id)
            CROSS JOIN LATERAL (${matches}) AS matches`,
        ]
  })
  if (parts.length === 0) return new Map()
  const rows = await db.orm.execute<{ id: string; reasons: DuplicateReason[] }>(sql`
    SELECT id, array_agg(DISTINCT reason ORDER BY reason) AS reasons
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS found GROUP BY id ORDER BY id`)
  return new Map(rows.map(({ id, reasons }) => [id, reasons]))
}
