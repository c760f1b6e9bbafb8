/** Queries for identifications. Each is built from its row, its accounts and its active holds. */

import { and, desc, eq, getTableColumns, gte, or, sql } from 'drizzle-orm'
import { accounts, identifications, kybApplications, vaults } from '../../../drizzle/schema.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import type { Risk } from '../../domain/decision/risk.ts'
import type { IdentificationState, IdentificationStatus } from '../../domain/identification/identification.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type {
  Account,
  DecidedIdentification,
  Identification,
  IdentificationReview,
  ListedIdentification,
} from '../../domain/identification/record.ts'
import { kybReviewProgress } from '../../domain/kyb/application.ts'
import { identityOf } from '../../domain/kyb/beneficiary-check.ts'
import { type KybApplication, risksOfKyb } from '../../domain/kyb/record.ts'
import { shownSurname } from '../../domain/names/full-name.ts'
import type { PersonChecks } from '../../domain/review/review.ts'
import { laterVersions, readApplicantForm, readLaterForms } from '../access/profile.ts'
import { cacheStatement, type Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { leniently, orNull, type Read, sealedFor, strictly } from '../connection/sealed.ts'
import { createTotal } from '../connection/total.ts'
import { findKybApplication } from './kyb-application.ts'
import { type ChangeFilter, isFiltered, selectPage, sliceOf } from './list-page.ts'
import { identificationProgressCondition, type ReviewProgressFilter } from './review-progress.ts'
import { COMPANY_NAME, unsealCompanyName } from './title.ts'
import { undeliveredAt } from './undelivered.ts'

export const reviewContext = (id: string) => sealedFor('identifications.review', id)
/** Returns the encrypted decision, or null if there is none or it is damaged. */
export const unsealReview = (
  { encryption }: Pick<Database, 'encryption'>,
  id: string,
  sealed: Buffer | null,
): IdentificationReview | null =>
  sealed && orNull(() => encryption.unsealJson<IdentificationReview>(sealed, reviewContext(id)))
export const proposalContext = (id: string) => sealedFor('identifications.proposal', id)
export const profileContext = (id: string) => sealedFor('identifications.profile', id)

export const isIdentificationOfVault = (vaultId: string, id: string) =>
  and(eq(identifications.vaultId, vaultId), eq(identifications.id, id))

/** Returns the risks of a company's application. The list is empty for a person. */
export async function findCompanyRisks(
  db: Database,
  { vaultId, kybId }: Pick<Identification, 'vaultId' | 'kybId'>,
): Promise<readonly Risk[]> {
  const application = kybId && (await findKybApplication(db, vaultId, kybId))
  return application ? risksOfKyb(application) : []
}

/**
 * Returns the identification. If the vault requires a second approval for risks, includes the company's risks. Returns
 * null if there is no such identification.
 */
export async function findDecidedIdentification(
  db: Database,
  vaultId: string,
  id: string,
): Promise<DecidedIdentification | null> {
  const found = await findIdentification(db, vaultId, id)
  if (!found) return null
  const doRisksCount = found.policy.fourEyes.includes('high_risk_approvals')
  return { ...found, companyRisks: doRisksCount ? await findCompanyRisks(db, found) : [] }
}

/**
 * Returns the same as `findDecidedIdentification`, and locks the row until the transaction ends. The lock permits the
 * foreign key checks that PostgreSQL runs when one transaction updates an application twice. A stronger lock could
 * cause a deadlock, because that transaction has locked the application's row.
 */
export async function getIdentificationForUpdate(
  tx: Database,
  vaultId: string,
  id: string,
): Promise<DecidedIdentification | null> {
  // Reads the rest in a second statement, whose snapshot begins after the row is locked.
  await tx.orm
    .select({ id: identifications.id })
    .from(identifications)
    .where(isIdentificationOfVault(vaultId, id))
    .for('no key update')
  return findDecidedIdentification(tx, vaultId, id)
}

/**
 * Locks the identifications that exist, in the order of their IDs, with the same lock as `getIdentificationForUpdate`.
 */
export async function getIdentificationsForUpdate(tx: Database, ids: readonly string[]): Promise<void> {
  const { id } = identifications
  await tx.orm.select({ id }).from(identifications).where(eqAny(id, ids)).orderBy(id).for('no key update')
}

/**
 * Returns the version of an identification and the time of its erasure, and takes the same lock as
 * `getIdentificationForUpdate`. Throws if the identification does not exist.
 */
export async function getStateForUpdate(tx: Database, id: string) {
  const { version, erasedAt } = identifications
  const [row] = await tx.orm
    .select({ version, erasedAt })
    .from(identifications)
    .where(eq(identifications.id, id))
    .for('no key update')
  if (!row) throw new Error('a referenced identification is not in the database')
  return row
}

/** Returns whether a committed transaction has closed the identification. */
export async function isIdentificationClosed(db: Database, vaultId: string, id: string): Promise<boolean> {
  const { verification } = identifications
  const [row] = await db.orm
    .select({ verification })
    .from(identifications)
    .where(isIdentificationOfVault(vaultId, id))
  return row?.verification === 'closed'
}

/** Returns the checks of an application's beneficiaries, for operators. */
export async function findPersonChecks(
  db: Database,
  { links }: Pick<KybApplication, 'links'>,
): Promise<ReadonlyMap<string, PersonChecks>> {
  const { id, beneficiaryId, status, waitingOn, waitingSince, version, profile, review, createdAt } =
    identifications
  const people = [...links.keys()]
  const rows = await db.orm
    .select({ id, beneficiaryId, status, waitingOn, waitingSince, version, profile, review })
    .from(identifications)
    .where(or(eqAny(beneficiaryId, people), eqAny(id, people)))
    .orderBy(desc(createdAt), desc(id))
  const checks = rows.map(({ profile, review, beneficiaryId, ...row }) => {
    const outcome =
      review && db.encryption.unsealJson<IdentificationReview>(review, reviewContext(row.id)).outcome
    const isApproved = outcome === 'approved'
    const opened = () => db.encryption.unsealJson<Profile>(profile, profileContext(row.id))
    return {
      personId: beneficiaryId ?? row.id,
      check: { ...row, verified: isApproved ? identityOf(opened()) : null },
    }
  })
  return new Map(
    [...links].map(([personId, { checkId }]) => {
      const own = checks.filter((each) => each.personId === personId).map(({ check }) => check)
      const current = own.find((check) => check.id === checkId) ?? null
      return [personId, { current, earlier: own.filter((check) => check !== current) }]
    }),
  )
}

export async function findVaultOfAccount(db: Database, id: string): Promise<string | null> {
  const [row] = await db.orm
    .select({ vaultId: identifications.vaultId })
    .from(accounts)
    .innerJoin(identifications, eq(identifications.id, accounts.identificationId))
    .where(eq(accounts.id, id))
  return row?.vaultId ?? null
}

/** The condition of the partial indexes, which must have exactly the same text. */
const LISTED = sql`${identifications.origin} <> 'beneficiary'`
const countListed = createTotal(identifications, LISTED)

export interface IdentificationFilter extends ReviewProgressFilter, ChangeFilter {
  readonly externalUuid?: string | undefined
  readonly status?: IdentificationStatus | undefined
}

function matching(
  inVault: string,
  { externalUuid: own, status: wanted, updatedSince, ...progress }: IdentificationFilter,
) {
  const { vaultId, externalUuid, status, updatedAt } = identifications
  return and(
    eq(vaultId, inVault),
    own === undefined ? LISTED : eq(externalUuid, own),
    wanted && eq(status, wanted),
    updatedSince && gte(updatedAt, updatedSince),
    identificationProgressCondition(inVault, progress),
  )
}

/**
 * Returns a page of the vault's identifications, newest first, or most recently changed first with `updatedSince`.
 * Includes a beneficiary's identification only if the filter contains its `externalUuid`.
 */
export async function listIdentifications(
  db: Database,
  vaultId: string,
  page: Page,
  filter: IdentificationFilter,
): Promise<Listed<ListedIdentification>> {
  const slice = sliceOf(page)
  const where = matching(vaultId, filter)
  const [rows, totalCount] = await Promise.all(
    isFiltered(filter)
      ? [
          readShown(db.orm, selectPage(db.orm, identifications, where, slice, filter)),
          db.orm.$count(identifications, where),
        ]
      : [readPage(db).execute({ vaultId, ...slice }), countListed(db, vaultId)],
  )
  return { entries: rows.map((row) => unsealListed(db, row, leniently)), totalCount }
}

// Excludes columns that only queries use: the search hashes, the filters, the start of the workflow and the trace.
const {
  emailHash: _e,
  nameHash: _n,
  personHash: _p,
  countryHash: _c,
  riskHashes: _r,
  namesIndexed: _i,
  namesSpelt: _s,
  workflowStartedAt: _w,
  waitingTraceparent: _t,
  ...columns
} = getTableColumns(identifications)
const company = {
  ...COMPANY_NAME,
  status: kybApplications.status,
  waitingOn: kybApplications.waitingOn,
  outcome: kybApplications.reviewOutcome,
}
/** The columns of a list. A company's name comes from its application. */
const LISTED_COLUMNS = {
  row: {
    id: columns.id,
    externalUuid: columns.externalUuid,
    verification: columns.verification,
    profile: columns.profile,
    review: columns.review,
    waitingOn: columns.waitingOn,
    awaitsKyb: columns.awaitsKyb,
    version: columns.version,
    updatedAt: columns.updatedAt,
    createdAt: columns.createdAt,
    erasedAt: columns.erasedAt,
  },
  accounts: sql<Account[]>`(
    SELECT coalesce(json_agg(json_build_object('id', id, 'referral', referral) ORDER BY created_at, id), '[]')
    FROM accounts WHERE identification_id = ${identifications.id})`,
  holds: sql<IdentificationState['holds']>`(
    SELECT coalesce(json_agg(json_build_object('id', id, 'owner', owner, 'services', services)
      ORDER BY applied_at, id), '[]')
    FROM holds WHERE identification_id = ${identifications.id} AND applied_at IS NOT NULL AND lifted_at IS NULL)`,
  company,
  // Only the applicant's turn depends on it.
  undeliveredAt: sql<number | null>`CASE WHEN ${identifications.waitingOn} = 'applicant'
    THEN ${undeliveredAt(sql`${identifications.id}`)} END`,
}
/** All columns of an identification. For a company, the screening columns come from its application. */
const COLUMNS = {
  ...LISTED_COLUMNS,
  row: columns,
  internalSettlements: vaults.internalSettlementsEnabled,
  policy: { fourEyes: vaults.fourEyes, highRiskCountries: vaults.highRiskCountries },
  later: laterVersions('identification'),
  company: {
    ...company,
    screenedWith: kybApplications.screenedWith,
    openHits: kybApplications.openHits,
    confirmedHits: kybApplications.confirmedHits,
  },
}

const OF_COMPANY = eq(kybApplications.identificationId, identifications.id)
const select = (orm: Database['orm']) =>
  orm
    .select(COLUMNS)
    .from(identifications)
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .leftJoin(kybApplications, OF_COMPANY)
const selectListed = (orm: Database['orm']) =>
  orm.select(LISTED_COLUMNS).from(identifications).leftJoin(kybApplications, OF_COMPANY)

type Row = Awaited<ReturnType<typeof select>>[number]
type ListedRow = Awaited<ReturnType<typeof selectListed>>[number]

const IN_VAULT = eq(identifications.vaultId, sql.placeholder('vaultId'))

function findBy(column: 'id' | 'externalUuid', statement: string) {
  const read = cacheStatement((orm) =>
    select(orm)
      .where(and(IN_VAULT, eq(identifications[column], sql.placeholder('value'))))
      .prepare(statement),
  )
  return async (db: Database, vaultId: string, value: string): Promise<Identification | null> => {
    const [row] = await read(db).execute({ vaultId, value })
    return row ? opened(db, row) : null
  }
}

/** Returns the vault's identification, or null if there is none. */
export const findIdentification = findBy('id', 'find_identification')

export const findIdentificationByExternalUuid = findBy('externalUuid', 'find_identification_by_external_uuid')

const readShown = (orm: Database['orm'], { where, order }: ReturnType<typeof selectPage>) =>
  selectListed(orm)
    .where(where)
    .orderBy(...order)

const readPage = cacheStatement((orm) => {
  const slice = { limit: sql.placeholder('limit'), offset: sql.placeholder('offset') }
  const shown = selectPage(orm, identifications, and(IN_VAULT, LISTED), slice)
  return readShown(orm, shown).prepare('list_identifications')
})

function unsealListed({ encryption }: Database, found: ListedRow, read: Read) {
  const { row, accounts, holds, company, undeliveredAt: failedAt } = found
  const { id, externalUuid, verification, waitingOn, awaitsKyb, version, updatedAt, createdAt, erasedAt } =
    row
  const profile = read(() => encryption.unsealJson<Profile>(row.profile, profileContext(id)), {})
  const title = () => (company ? unsealCompanyName(encryption, company) : '')
  return {
    id,
    externalUuid,
    accounts,
    kybId: company?.id ?? null,
    kybProgress: company && kybReviewProgress(company.status, company.waitingOn, company.outcome),
    state: { verification, waitingOn, awaitsKyb, version, holds },
    profile,
    name: profile.name ?? read(title, ''),
    surname: shownSurname(profile.surname),
    review:
      row.review &&
      read<IdentificationReview | null>(
        () => encryption.unsealJson(row.review as Buffer, reviewContext(id)),
        null,
      ),
    undeliveredAt: timeOf(failedAt),
    updatedAt,
    createdAt,
    erasedAt,
  }
}

async function opened(db: Database, found: Row): Promise<Identification> {
  const { row, company, policy, internalSettlements } = found
  const formAt = (version: number) => readApplicantForm(db, row.vaultId, version, policy.highRiskCountries)
  const later = await readLaterForms(found.later, formAt)
  const { screenedWith, openHits, confirmedHits } = company ?? row
  const listed = unsealListed(db, found, strictly)
  return {
    ...row,
    ...(row.profileVersion > 0 && { form: await formAt(row.profileVersion) }),
    ...(later.length > 0 && { later }),
    screenedWith,
    openHits,
    confirmedHits,
    ...listed,
    state: { ...listed.state, pending: row.pending },
    proposal:
      row.proposal &&
      db.encryption.unsealJson<NonNullable<Identification['proposal']>>(
        row.proposal,
        proposalContext(row.id),
      ),
    policy,
    internalSettlements,
  }
}
