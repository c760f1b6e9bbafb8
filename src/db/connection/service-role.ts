/** Grants rights to the service's database role, which reads and writes rows and owns no tables. */
import type postgres from 'postgres'

/** The rights on append-only tables, which are updated only to count, re-encrypt or erase. */
const RIGHTS: Readonly<Record<string, string>> = {
  audit_log: 'SELECT, INSERT, UPDATE (count, ip_address)',
  timeline: 'SELECT, INSERT, UPDATE (notes)',
}
const RIGHTS_OTHERWISE = 'SELECT, INSERT, UPDATE, DELETE'

const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Grants the rights. The owner of the tables must run this. Creates the role if it is missing, and throws if the owner
 * may not create it.
 */
export async function grantServiceRole(
  tx: postgres.TransactionSql,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> {
  // Without a user in the URL, the server determines the role, for example from the user of the operating system.
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
  // Processes read this table to check that all migrations are applied.
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
