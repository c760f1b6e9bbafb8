/** Inserts copies of older rows, which make lists long but appear on no measured page. */
import type postgres from 'postgres'

export async function lengthenLists(database: postgres.Sql, vaultId: string, rows: number): Promise<void> {
  await database`CREATE TEMPORARY TABLE copies AS SELECT uuidv7() AS id, uuidv7() AS kyb_id, uuidv7(interval '-1 year') AS log_id
    FROM generate_series(1, ${rows}::int)`
  await database`INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status,
      waiting_on, awaits_kyb, profile, workflow_started_at, names_indexed, created_at)
    SELECT copies.id, vault_id, copies.id::text, kind, origin, verification, status, 'nobody', false,
      profile, clock_timestamp(), true, created_at - interval '1 year'
    FROM copies, (SELECT * FROM identifications WHERE kind = 'company' AND vault_id = ${vaultId} LIMIT 1) AS original`
  await database`INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
      password_hash, status, completed, waiting_on, currently_due, content, workflow_started_at, names_indexed, created_at)
    SELECT kyb_id, vault_id, copies.id, kyb_id::text, client_kyc, internal, password_hash, status, completed,
      'nobody', currently_due, content, clock_timestamp(), true, created_at - interval '1 year'
    FROM copies, (SELECT * FROM kyb_applications WHERE vault_id = ${vaultId} LIMIT 1) AS original`
  await database`INSERT INTO webhook_logs (id, vault_id, topic, status, payload, urls_destiny, created_at)
    SELECT log_id, ${vaultId}, 'ticket', 'completed', '{}', '{}', clock_timestamp() - interval '1 year' FROM copies`
  await database`DROP TABLE copies`
  await database`VACUUM ANALYZE identifications`
  await database`VACUUM ANALYZE kyb_applications`
  await database`VACUUM ANALYZE webhook_logs`
}
