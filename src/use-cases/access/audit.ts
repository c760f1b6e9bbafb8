/** Use cases for listing the audit trail, with or without the names of people and vaults, and for counting exports. */
import { countAudit, listReads as listAllReads, listAudit as listEntries } from '../../db/audit/audit.ts'
import { type AuditFilter, aboutVault, type By, personOf } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import type { FigureFilter, FigureName } from '../../domain/review/figures.ts'
import type { WithDb } from '../base/deps.ts'
import { listEmails, listVaultNames, type Names } from './names.ts'

/** Lists entries, newest first. */
export const listAudit = ({ db }: WithDb, filter: AuditFilter, page: Page) => listEntries(db, page, filter)

/** Lists what each actor read, most cases first. */
export const listReads = ({ db }: WithDb, filter: AuditFilter, page: Page) => listAllReads(db, page, filter)

interface WithNames<T> extends Listed<T> {
  readonly vaults: Names
  readonly emails: Names
}

/** Adds the names of these users and of the operator's vaults, because pages do not show IDs. */
async function addNames<T>(
  deps: WithDb,
  operator: Granted,
  listed: Listed<T>,
  people: readonly (string | null)[],
): Promise<WithNames<T>> {
  const emails = await listEmails(
    deps,
    people.filter((id) => id !== null),
  )
  return { ...listed, emails, vaults: await listVaultNames(deps, vaultsFor(operator, 'read_settings')) }
}

/** Lists entries, newest first, with names. */
export async function listNamedAudit(deps: WithDb, operator: Granted, filter: AuditFilter, page: Page) {
  const listed = await listAudit(deps, filter, page)
  const people = listed.entries.flatMap(({ actor, subject, subjectId }) => [
    personOf(actor),
    subject === 'user' ? subjectId : null,
  ])
  return addNames(deps, operator, listed, people)
}

/** The maximum number of entries in a file. A filter by days selects others. */
export const MAX_EXPORTED_ENTRIES = 10_000

/** Lists entries for a file, newest first, with names. Records the export. */
export async function exportAudit(deps: WithDb, operator: Granted, by: By, filter: AuditFilter) {
  await recordExport(deps, by, 'audit', filter)
  return listNamedAudit(deps, operator, filter, { page: 1, per_page: MAX_EXPORTED_ENTRIES })
}

/** Lists what each actor read, most cases first, with names. */
export async function listNamedReads(deps: WithDb, operator: Granted, filter: AuditFilter, page: Page) {
  const listed = await listReads(deps, filter, page)
  return addNames(
    deps,
    operator,
    listed,
    listed.entries.map(({ actor }) => personOf(actor)),
  )
}

/**
 * Counts the exports of a report, a rehearsal, a timeline, the audit trail or the list of cases, for each vault of an
 * operator who cannot read all vaults.
 */
export const recordExport = (
  { db }: WithDb,
  by: By,
  report: FigureName | 'audit' | 'cases' | 'rehearsal' | 'timeline',
  { scope }: Pick<FigureFilter, 'scope'>,
): Promise<void> =>
  countAudit(
    db,
    by,
    ...(scope === 'all' ? [null] : scope).map(
      (vaultId) =>
        ({ action: 'report_exported', ...aboutVault(vaultId), changes: { report: { to: report } } }) as const,
    ),
  )
