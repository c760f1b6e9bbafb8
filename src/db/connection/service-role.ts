/** What the role may do that serves: it reads and writes rows, and owns nothing. */
import type postgres from 'postgres'

/** What happened is added to and not changed, but to count, to seal anew, and to erase. */
const RIGHTS: Readonly<Record<string, string>> = {
  audit_log: 'SELECT, INSERT, UPDATE (count, ip_address)',
  timeline: 'SELECT, INSERT, UPDATE (notes)',
}
const RIGHTS_OTHERWISE = 'SELECT, INSERT, UPDATE, DELETE'

const INSUFFICIENT_PRIVILEGE = '42501'

/** Asked by the owner of the tables. A role that is not there is made, if the owner may. */
export async function grantServiceRole(
  tx: postgres.TransactionSql,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> {
  // The operating system's user, say, who is whom the server takes him for.
  if (user === '') return
  const [found] = await tx<{ isOwner: boolean }[]>`
    SELECT rolname = current_user AS "isOwner" FROM pg_roles WHERE rolname = ${user}`
  if (found?.isOwner) return
  const role = tx(user)
  if (!found) await createRole(tx, user, password)
  const [row] = await tx<{ database: string }[]>`SELECT current_database() AS database`
  await tx`GRANT CONNECT ON DATABASE ${tx(row?.database ?? '')} TO ${role}`
  await tx`GRANT USAGE ON SCHEMA public TO ${role}`
  await tx`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`
  // By which a process sees whether the database is as its code knows it.
  await tx`GRANT USAGE ON SCHEMA drizzle TO ${role}`
  await tx`GRANT SELECT ON drizzle.__drizzle_migrations TO ${role}`
  const tables = await tx<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tableowner = current_user`
  for (const { name } of tables) {
    await tx`REVOKE ALL ON ${tx(name)} FROM ${role}`
    await tx`GRANT ${tx.unsafe(RIGHTS[name] ?? RIGHTS_OTHERWISE)} ON ${tx(name)} TO ${role}`
  }
}

async function createRole(tx: postgres.TransactionSql, user: string, password: string): Promise<void> {
  const [row] = await tx<{ statement: string }[]>`
    SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', ${user}::text, ${password}::text) AS statement`
  await tx.unsafe(row?.statement ?? '').catch((error: unknown) => {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new Error(
      `There is no role ${user}: let an administrator create it, CREATE ROLE ${user} LOGIN PASSWORD '…', ` +
        'and migrate again.',
    )
  })
}
