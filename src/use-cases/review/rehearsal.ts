/** Use case: the rehearsal of a draft profile over a vault's open and approved applications. */
import { readForm } from '../../db/access/profile.ts'
import { findVault } from '../../db/access/vault.ts'
import { readUnderReview } from '../../db/cases/kyb-application-list.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, hasPermission } from '../../domain/access/grant.ts'
import { circumstancesOf, type KybApplication } from '../../domain/kyb/record.ts'
import { currentlyDue, PEOPLE_PATH } from '../../domain/kyb/requirements.ts'
import { applicantFieldsOf, fieldsOf } from '../../domain/profile/document.ts'
import { recordExport } from '../access/audit.ts'
import { requirePermission } from '../access/caller.ts'
import { getDraft } from '../access/profile.ts'
import type { WithDb } from '../base/deps.ts'
import { recordNamesRead } from '../case/reading-record.ts'

export interface Rehearsal {
  /** The number of open and approved applications. */
  readonly applications: number
  /** The number of these that would owe more. */
  readonly affected: number
  /** The same numbers of open applications only. */
  readonly open: number
  readonly openAffected: number
  /** The fields that they would owe, most frequent first. */
  readonly byPath: readonly { readonly path: string; readonly count: number }[]
  /**
   * The oldest of the applications that would owe more. Empty for operators who cannot read cases, because the conditions
   * of a draft would reveal to them how each applicant has answered.
   */
  readonly cases: readonly AffectedCase[]
}

/** An application that would owe more. */
interface AffectedCase {
  readonly id: string
  readonly externalId: string
  /** The name and the country of the company, or null if the application does not contain them yet. */
  readonly name: string | null
  readonly country: string | null
  /** The paths of the fields that it would owe, without the IDs of beneficiaries. */
  readonly owed: readonly string[]
}

/** The maximum number of applications that a rehearsal names. */
const MAX_CASES = 10_000

/** Returns what the applications would owe under the draft, with up to `named` applications. */
async function rehearse(
  { db }: WithDb,
  operator: Granted,
  vaultId: string,
  named: number,
): Promise<Rehearsal> {
  const { kyb: form } = await readDraftForms({ db }, operator, vaultId)
  const maxCases = hasPermission(operator, 'read_cases', vaultId) ? named : 0
  const counts = new Map<string, number>()
  const cases: AffectedCase[] = []
  const now = new Date()
  let [applications, affected, open, openAffected] = [0, 0, 0, 0]
  for await (const application of readUnderReview(db, vaultId)) {
    applications += 1
    const due = currentlyDue(application.content, circumstancesOf({ ...application, form }, now))
    const known = new Set(application.currentlyDue)
    const owed = new Set(due.filter((path) => !known.has(path)).map(withoutPerson))
    if (owed.size > 0) affected += 1
    if (application.state.status === 'open') {
      open += 1
      if (owed.size > 0) openAffected += 1
    }
    if (owed.size > 0 && cases.length < maxCases) cases.push(affectedCase(application, owed))
    for (const path of owed) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const byPath = [...counts].map(([path, count]) => ({ path, count })).sort((a, b) => b.count - a.count)
  return { applications, affected, open, openAffected, byPath, cases }
}

/**
 * Returns what the applications would owe under the draft, with up to `named` applications, and records that the operator
 * reads their names. Throws `not_found` if there is no draft.
 */
export async function rehearseDraft(
  deps: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
  named: number,
): Promise<Rehearsal> {
  const rehearsal = await rehearse(deps, operator, vaultId, named)
  const names = rehearsal.cases.map(() => ({ vaultId }))
  await recordNamesRead(deps, by, names)
  return rehearsal
}

/** Returns the applications that would owe more, and records the export. Throws `not_found` and `insufficient_role`. */
export async function exportRehearsal(
  deps: WithDb,
  operator: Granted,
  by: By,
  vaultId: string,
): Promise<readonly AffectedCase[]> {
  requirePermission(operator, 'read_cases', vaultId)
  await recordExport(deps, by, 'rehearsal', { scope: [vaultId] })
  return (await rehearse(deps, operator, vaultId, MAX_CASES)).cases
}

/** Returns the forms of companies and of people under the draft. Throws `not_found` if there is no draft. */
export async function readDraftForms({ db }: WithDb, operator: Granted, vaultId: string) {
  const { version, document } = await getDraft({ db }, operator, vaultId)
  const vault = await findVault(db, vaultId)
  const base = await readForm(db, vaultId, 0, vault?.highRiskCountries ?? [])
  return {
    kyb: { ...base, ...fieldsOf(document), version },
    person: { ...base, ...applicantFieldsOf(document), version },
  }
}

function affectedCase({ id, externalId, content }: KybApplication, owed: ReadonlySet<string>): AffectedCase {
  const { legal_company_name: name, country_of_incorporation: country } = content.nature_of_business
  return { id, externalId, name: name || null, country: country || null, owed: [...owed] }
}

/** Returns the path without the ID of a beneficiary. */
function withoutPerson(path: string): string {
  if (!path.startsWith(`${PEOPLE_PATH}.`)) return path
  const [, ...field] = path.slice(PEOPLE_PATH.length + 1).split('.')
  return [PEOPLE_PATH, ...field].join('.')
}
