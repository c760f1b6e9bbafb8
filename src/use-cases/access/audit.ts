/** Use cases for listing the audit trail, with or without the names of people and vaults. */
import { listAudit as listEntries } from '../../db/audit/audit.ts'
import { type AuditEntry, type AuditFilter, personOf } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Deps } from '../base/deps.ts'
import { listEmails, listVaultNames, type Names } from './names.ts'

/** Lists entries, newest first. */
export const listAudit = ({ db }: Pick<Deps, 'db'>, filter: AuditFilter, page: Page) =>
  listEntries(db, page, filter)

interface NamedAudit {
  readonly entries: readonly AuditEntry[]
  readonly totalCount: number
  readonly vaults: Names
  readonly emails: Names
}

/** Lists entries, newest first. Adds names, because the page does not show IDs. */
export async function listNamedAudit(
  deps: Pick<Deps, 'db'>,
  operator: Granted,
  filter: AuditFilter,
  page: Page,
): Promise<NamedAudit> {
  const { entries, totalCount } = await listAudit(deps, filter, page)
  const people = entries.flatMap(({ actor, subject, subjectId }) => [
    personOf(actor),
    subject === 'user' ? subjectId : null,
  ])
  const emails = await listEmails(
    deps,
    people.filter((id) => id !== null),
  )
  return {
    entries,
    totalCount,
    vaults: await listVaultNames(deps, vaultsFor(operator, 'read_settings')),
    emails,
  }
}
