/** Copies cases with all their rows, so that a database has as many rows as after years of use. */
import type postgres from 'postgres'

/** A case that was created normally, and how its copies differ. */
export interface Original {
  readonly identificationId: string
  /** The share of all copies. */
  readonly share: number
  /** The copies were created at equal intervals within these days. */
  readonly days: number
}

const OF_CASE = '= ANY($1::uuid[])'
const LOGS = `payload LIKE ANY (SELECT '%' || id || '%' FROM unnest($1::uuid[]) AS id)`

/** The tables of a case, with the condition for its rows. `$1` lists the IDs of the identification and application. */
const TABLES: Readonly<Record<string, string>> = {
  identifications: `id ${OF_CASE}`,
  accounts: `identification_id ${OF_CASE}`,
  kyb_applications: `id ${OF_CASE}`,
  beneficiaries: `kyb_application_id ${OF_CASE}`,
  files: `kyb_application_id ${OF_CASE} OR identification_id ${OF_CASE}`,
  verification_checks: `identification_id ${OF_CASE}`,
  screening_hits: `entity_id ${OF_CASE}`,
  name_parts: `entity_id ${OF_CASE}`,
  timeline: `entity_id ${OF_CASE}`,
  commands: `entity_id ${OF_CASE}`,
  webhook_logs: LOGS,
  webhook_attempts: `webhook_log_id IN (SELECT id FROM webhook_logs WHERE ${LOGS})`,
}

/** The columns that contain IDs of copied rows. */
const IDS = /^(id|(identification|kyb_application|entity|beneficiary|check|account|webhook_log)_id)$/
/** The number of copies of which one has the same name and email as the original. */
const SAME_NAME = 50

interface Column {
  readonly column: string
  readonly type: string
}

/** Returns the value of a column in copy `n`, as SQL. Null if the table creates the value. `ids` occur in payloads. */
function copiedValue(table: string, { column, type }: Column, ids: readonly string[]): string | null {
  const value = `o."${column}"`
  if (column === 'id' && type === 'bigint') return null
  if (IDS.test(column) && type === 'uuid') return `pg_temp.copy_id(${value}, n, age)`
  if (['external_uuid', 'external_id', 'referral'].includes(column)) return `${value} || '-' || n`
  if (type === 'timestamp with time zone') return `${value} - age`
  if (column === 'indexed') return 'true'
  // The deliveries of copies have ended. A retry of an original can still be due.
  if (table === 'webhook_logs' && column === 'status') return `'failed'`
  if (column === 'payload' && type === 'text')
    return ids.reduce(
      (text, id) => `replace(${text}, '${id}', pg_temp.copy_id('${id}', n, age)::text)`,
      value,
    )
  if (type !== 'bytea' || !/^(token|email|name|person|registration|part)_hash$/.test(column)) return value
  const own = `sha256(${value} || n::text::bytea)`
  return column === 'token_hash' ? own : `CASE WHEN n % ${SAME_NAME} = 0 THEN ${value} ELSE ${own} END`
}

const CHUNK = 20_000

/** Inserts `count` copies in total. */
export async function insertCopies(
  database: postgres.Sql,
  count: number,
  originals: readonly Original[],
): Promise<void> {
  const restore = await dropIndexes(database)
  // IDs sort by time, as those of the original do.
  await database.unsafe(`CREATE FUNCTION pg_temp.copy_id(o uuid, n int, age interval) RETURNS uuid
    IMMUTABLE LANGUAGE sql AS $$
    SELECT (lpad(to_hex((extract(epoch FROM uuid_extract_timestamp(o) - age) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(o::text || n), 1, 3) || '8' || substr(md5(o::text || n), 4, 15))::uuid $$`)
  // Skips triggers and the checks of foreign keys, which would take most of the time.
  await database`SET session_replication_role = replica`
  await database`SET synchronous_commit = off`
  for (const { identificationId, share, days } of originals) {
    const rows = await database<{ id: string }[]>`
      SELECT id FROM kyb_applications WHERE identification_id = ${identificationId}`
    const ids = [identificationId, ...rows.map(({ id }) => id)]
    for (const [name, condition] of Object.entries(TABLES)) {
      await database.unsafe(`CREATE TEMPORARY TABLE original AS SELECT * FROM ${name} WHERE ${condition}`, [
        ids,
      ])
      await copyRows(database, name, ids, Math.round(count * share), days)
      await database`DROP TABLE original`
    }
  }
  await database`SET session_replication_role = origin`
  await restore()
}

/** Copies the rows of the temporary table `original`. */
async function copyRows(
  database: postgres.Sql,
  name: string,
  ids: readonly string[],
  copies: number,
  days: number,
): Promise<void> {
  const columns = await database<Column[]>`
    SELECT column_name AS column, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ${name}`
  const values = columns.flatMap((each) => {
    const value = copiedValue(name, each, ids)
    return value === null ? [] : [{ column: `"${each.column}"`, value }]
  })
  for (let from = 1; from <= copies; from += CHUNK)
    await database.unsafe(
      `INSERT INTO ${name} (${values.map(({ column }) => column)})
      SELECT ${values.map(({ value }) => value)} FROM generate_series($1::int, $2::int) AS n,
        LATERAL (SELECT n * interval '1 day' * $3::float8 / $4::int AS age) AS a, original AS o ORDER BY n`,
      [from, Math.min(from + CHUNK - 1, copies), days, copies],
    )
}

/**
 * Drops all indexes that no foreign key needs. Returns a function that creates them again, which is faster than
 * inserting into them.
 */
async function dropIndexes(database: postgres.Sql): Promise<() => Promise<void>> {
  const names = Object.keys(TABLES)
  const constraints = await database<{ name: string; owner: string; definition: string }[]>`
    SELECT conname AS name, conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint AS own WHERE conrelid = ANY(${names}::regclass[]) AND contype IN ('p', 'u')
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE confrelid = own.conrelid)`
  for (const { name, owner } of constraints)
    await database.unsafe(`ALTER TABLE ${owner} DROP CONSTRAINT "${name}"`)
  const indexes = await database<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = ANY(${names}::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`
  for (const { name } of indexes) await database.unsafe(`DROP INDEX ${name}`)
  return async () => {
    await database`SET maintenance_work_mem = '1GB'`
    for (const { name, owner, definition } of constraints)
      await database.unsafe(`ALTER TABLE ${owner} ADD CONSTRAINT "${name}" ${definition}`)
    for (const { definition } of indexes) await database.unsafe(definition)
    for (const name of names) await database.unsafe(`VACUUM ANALYZE ${name}`)
  }
}
