/** Creates ten thousand applications that await review, and an operator. */
import postgres from 'postgres'
import type { Instance } from '../dev/instance.ts'

const WAITING = 10_000
/** The applications on the measured page are created normally. The others are copied rows without workflows. */
const SHOWN = 60

/** Fills the queue. Returns the cookie that opens the console. */
export async function fillQueue(instance: Instance, createKyb: () => Promise<string>): Promise<string> {
  const ids: string[] = []
  while (ids.length < SHOWN) ids.push(await createKyb())
  const database = postgres(instance.database_url, { max: 1 })
  await database`UPDATE kyb_applications SET waiting_on = 'operator',
    waiting_since = clock_timestamp() - interval '1 day' WHERE id = ANY(${ids})`
  await database`CREATE TEMPORARY TABLE copies AS SELECT uuidv7() AS id, uuidv7() AS kyb_id FROM
    generate_series(1, ${WAITING - SHOWN}::int)`
  await database`INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status,
      waiting_on, awaits_kyb, profile, workflow_started_at, names_indexed)
    SELECT copies.id, vault_id, copies.id::text, kind, origin, verification, identifications.status, 'nobody', true,
      profile, clock_timestamp(), true
    FROM copies, identifications WHERE identifications.id = (
      SELECT identification_id FROM kyb_applications WHERE id = ${ids[0] ?? ''})`
  await database`INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
      password_hash, status, completed, waiting_on, currently_due, content, workflow_started_at, names_indexed)
    SELECT kyb_id, vault_id, copies.id, kyb_id::text, client_kyc, internal, password_hash, status, completed,
      'operator', currently_due, content, clock_timestamp(), true
    FROM copies, kyb_applications WHERE kyb_applications.id = ${ids[0] ?? ''}`
  await database`VACUUM ANALYZE kyb_applications`
  await database.end()
  return signInToConsole(instance)
}

/** Signs in to the console. Returns the cookie that opens it. */
export async function signInToConsole(instance: Instance): Promise<string> {
  const { operator_email: email, operator_password: password } = instance
  const signedIn = await fetch(`${instance.console_url}/sign_in`, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
    redirect: 'manual',
  })
  return signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
