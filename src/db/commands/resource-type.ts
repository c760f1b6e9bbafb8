/** Queries for the types of the resources that have a given ID. */
import { type SQL, sql } from 'drizzle-orm'
import {
  accounts,
  beneficiaries,
  files,
  holds,
  identifications,
  kybApplications,
  payments,
  webhookLogs,
} from '../../../drizzle/schema.ts'
import { isInScope, type VaultScope } from '../../domain/access/grant.ts'
import type { Database } from '../connection/database.ts'

type ResourceType =
  | 'application'
  | 'identification'
  | 'account'
  | 'beneficiary'
  | 'file'
  | 'payment'
  | 'delivery'
  | 'case'

/** Selects the vault of the row with the ID, either from this row or from the row to which it belongs. */
const VAULT_OF: Readonly<Record<ResourceType, SQL>> = {
  application: sql`SELECT vault_id FROM ${kybApplications} WHERE id = `,
  identification: sql`SELECT vault_id FROM ${identifications} WHERE id = `,
  account: sql`SELECT vault_id FROM ${accounts} a JOIN ${identifications} i ON i.id = a.identification_id WHERE a.id = `,
  beneficiary: sql`SELECT vault_id FROM ${beneficiaries} b JOIN ${kybApplications} k ON k.id = b.kyb_application_id WHERE b.id = `,
  file: sql`SELECT coalesce(k.vault_id, i.vault_id) AS vault_id FROM ${files} f
    LEFT JOIN ${kybApplications} k ON k.id = f.kyb_application_id
    LEFT JOIN ${identifications} i ON i.id = f.identification_id WHERE f.id = `,
  payment: sql`SELECT vault_id FROM ${payments} WHERE id = `,
  delivery: sql`SELECT vault_id FROM ${webhookLogs} WHERE id = `,
  case: sql`SELECT vault_id FROM ${holds} h JOIN ${identifications} i ON i.id = h.identification_id WHERE h.id = `,
}

export async function findResourceTypes(db: Database, id: string, scope: VaultScope) {
  const found = Object.entries(VAULT_OF).map(
    ([kind, of]) =>
      sql`SELECT ${kind}::text AS kind, vault_id FROM (${of}${id}::uuid) AS ${sql.identifier(kind)}`,
  )
  const rows = (await db.orm.execute(sql.join(found, sql` UNION ALL `))) as unknown as {
    kind: ResourceType
    vault_id: string
  }[]
  return rows.filter(({ vault_id }) => isInScope(scope, vault_id)).map(({ kind }) => kind)
}
