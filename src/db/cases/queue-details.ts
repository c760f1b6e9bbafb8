/** Queries for the details of queue entries. They decrypt only the rows of one page. */

import { setImmediate } from 'node:timers/promises'
import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import { beneficiaries, identifications, kybApplications, vaults } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { ReviewPolicy } from '../../domain/access/review-policy.ts'
import { type Risk, riskLevel } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { isFilledIn } from '../../domain/identification/identification.ts'
import { countPhotos } from '../../domain/identification/person-form.ts'
import { countryOf, type Profile } from '../../domain/identification/profile.ts'
import type { IdentificationReview } from '../../domain/identification/record.ts'
import { risksOfIdentification } from '../../domain/identification/transition.ts'
import { risksOfCompany } from '../../domain/kyb/risk.ts'
import { type SealedContent, summaryOf } from '../../domain/kyb/summary.ts'
import { fullNameOf } from '../../domain/names/full-name.ts'
import {
  canBeDuplicate,
  caseOutcome,
  correctionProgress,
  type DetailedEntry,
  isRequest,
  type QueueEntry,
  queueReason,
} from '../../domain/review/queue.ts'
import { reviewDueAt } from '../../domain/review/review-target.ts'
import type { DuplicateReason } from '../../domain/screening/duplicate.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { nullIfDamaged, orNull } from '../connection/sealed.ts'
import { findDuplicateReasons } from './duplicate.ts'
import { profileContext, reviewContext as reviewContextOf } from './identification.ts'
import { contentContext, findKybApplication, reviewContext, type SealedReview } from './kyb-application.ts'

/** The details of an entry that come from encrypted data. A damaged value is null. */
interface Opened extends Pick<DetailedEntry, 'title' | 'country' | 'documents' | 'corrections'> {
  readonly risks: readonly Risk[] | null
  /** The number of the company's open hits, if the entry is a company's identification. */
  readonly openHits: number
  /** The outcome of the latest decision, or null. */
  readonly decision: string | null
}

const NOTHING: Opened = {
  title: null,
  country: null,
  risks: null,
  openHits: 0,
  documents: null,
  decision: null,
  corrections: null,
}

const idsOf = (entries: readonly QueueEntry[], kind: Entity): string[] =>
  entries.filter((entry) => entry.kind === kind).map(({ id }) => id)

/** The reasons why entries have duplicates, keyed by ID. */
export type QueueDuplicates = ReadonlyMap<string, readonly DuplicateReason[]>

/** Finds the duplicates of entries for which they can be the reason, in the vaults of the scope. */
export const readQueueDuplicates = (
  db: Database,
  entries: readonly QueueEntry[],
  scope: VaultScope,
): Promise<QueueDuplicates> => findDuplicateReasons(db, entries.filter(canBeDuplicate), scope)

/**
 * Adds the details of entries in a constant number of queries. A damaged value is null, so that the list still shows
 * the other values.
 */
export async function addDetails(
  db: Database,
  entries: readonly QueueEntry[],
  settings: QueueSettings,
  duplicates: QueueDuplicates,
): Promise<DetailedEntry[]> {
  if (entries.length === 0) return []
  const companies = await unsealCompanies(db, entries, settings)
  const persons = await unsealPersons(db, entries, companies, settings)
  return entries.map((entry) => {
    const { reviewTargetHours } = settingsOf(settings, entry)
    const { risks, openHits, decision, corrections, ...details } =
      (entry.kind === 'kyb' ? companies : persons).get(entry.id) ?? NOTHING
    const duplicateReasons = duplicates.get(entry.id) ?? []
    const reason = queueReason(entry, isRequest(decision), duplicateReasons.length > 0)
    return {
      ...entry,
      ...details,
      outcome: caseOutcome({ ...entry, decision }),
      riskLevel: risks && riskLevel(risks, Math.max(entry.openHits, openHits)),
      reason,
      corrections: reason === 'resubmitted' ? corrections : null,
      duplicateReasons: reason === 'possible_duplicate' ? duplicateReasons : [],
      reviewTargetHours,
      dueAt: entry.waitingOn === 'operator' ? reviewDueAt(entry.waitingSince, reviewTargetHours) : null,
    }
  })
}

export type QueueSettings = ReadonlyMap<string, Setting>
interface Setting {
  readonly policy: ReviewPolicy
  readonly reviewTargetHours: number
}

function settingsOf(settings: QueueSettings, { vaultId }: { readonly vaultId: string }): Setting {
  const found = settings.get(vaultId)
  if (!found) throw new Error('a case’s vault is not in the database')
  return found
}

/** Returns the settings of the entries' vaults. */
export async function readSettings(db: Database, entries: readonly QueueEntry[]): Promise<QueueSettings> {
  if (entries.length === 0) return new Map()
  const { id, fourEyes, highRiskCountries, reviewTargetHours } = vaults
  const ids = [...new Set(entries.map(({ vaultId }) => vaultId))]
  const rows = await db.orm
    .select({ id, policy: { fourEyes, highRiskCountries }, reviewTargetHours })
    .from(vaults)
    .where(eqAny(id, ids))
    .orderBy(asc(id))
  return new Map(rows.map((row) => [row.id, row]))
}

const CURRENT_CHECK = and(
  sql`${identifications.id} = coalesce(${beneficiaries.checkId}, ${beneficiaries.id})`,
  eq(identifications.origin, 'beneficiary'),
)

/**
 * Returns a text that changes with the settings of the entries' vaults and with the checks of beneficiaries. The
 * details depend on both, but the versions of the entries do not.
 */
export async function readDetailsVersion(
  db: Database,
  entries: readonly QueueEntry[],
  settings: QueueSettings,
): Promise<string> {
  const { kybApplicationId, removedAt } = beneficiaries
  const checks = await db.orm
    .select({
      id: kybApplicationId,
      changedAt: sql<string>`max(${identifications.updatedAt})::text`,
      confirmedHits: sql<string>`sum(${identifications.confirmedHits})`,
    })
    .from(beneficiaries)
    .innerJoin(identifications, CURRENT_CHECK)
    .where(and(eqAny(kybApplicationId, idsOf(entries, 'kyb')), isNull(removedAt)))
    .groupBy(kybApplicationId)
    .orderBy(asc(kybApplicationId))
  return JSON.stringify([...settings.values(), checks])
}

/** Returns the details of the entries' companies, keyed by the IDs of the application and of the identification. */
async function unsealCompanies(
  db: Database,
  entries: readonly QueueEntry[],
  settings: QueueSettings,
): Promise<ReadonlyMap<string, Opened>> {
  const { id, vaultId, identificationId, version, content, review, reviewOutcome } = kybApplications
  const { openHits, confirmedHits } = kybApplications
  const rows = await db.orm
    .select({
      id,
      vaultId,
      identificationId,
      version,
      content,
      review,
      reviewOutcome,
      openHits,
      confirmedHits,
    })
    .from(kybApplications)
    .where(or(eqAny(id, idsOf(entries, 'kyb')), eqAny(identificationId, idsOf(entries, 'identification'))))
  const checks = new Map<string, CheckRow[]>(rows.map((row) => [row.id, []]))
  if (rows.length > 0)
    for (const check of await selectChecks(db, [...checks.keys()])) checks.get(check.kybId)?.push(check)
  const companies = new Map<string, Opened>()
  for (const row of rows) {
    const begun = checks.get(row.id) ?? []
    const opened = await unsealCompany(db, row, begun, settingsOf(settings, row))
    companies.set(row.id, opened).set(row.identificationId, opened)
    // Lets other requests run in between, because a company can have the checks of 100 beneficiaries.
    if (begun.length > 0) await setImmediate()
  }
  return companies
}

type CheckRow = Awaited<ReturnType<typeof selectChecks>>[number]

/** Selects the current checks of these applications' beneficiaries. */
const selectChecks = (db: Database, kybIds: readonly string[]) =>
  db.orm
    .select({
      kybId: beneficiaries.kybApplicationId,
      id: identifications.id,
      profile: identifications.profile,
      confirmedHits: identifications.confirmedHits,
    })
    .from(beneficiaries)
    .innerJoin(identifications, CURRENT_CHECK)
    .where(and(eqAny(beneficiaries.kybApplicationId, kybIds), isNull(beneficiaries.removedAt)))

type CompanyRow = Pick<
  typeof kybApplications.$inferSelect,
  'id' | 'vaultId' | 'version' | 'content' | 'review' | 'reviewOutcome' | 'openHits' | 'confirmedHits'
>

async function unsealCompany(
  db: Database,
  row: CompanyRow,
  checks: readonly CheckRow[],
  { policy }: Setting,
): Promise<Opened> {
  const { unsealJson } = db.encryption
  const content = orNull(() => unsealJson<SealedContent>(row.content, contentContext(row.id)))
  if (!content) return NOTHING
  const { legal_company_name, country_of_incorporation } = content.nature_of_business
  const summary = content.summary?.version === row.version ? content.summary : await summarise(db, row)
  const opened = orNull(() =>
    checks.map((check) => ({
      ...check,
      profile: unsealJson<Profile>(check.profile, profileContext(check.id)),
    })),
  )
  const review =
    row.reviewOutcome === 'revision_requested' && row.review
      ? orNull(() => unsealJson<SealedReview>(row.review as Buffer, reviewContext(row.id)))
      : null
  return {
    title: legal_company_name || null,
    country: country_of_incorporation ?? null,
    risks:
      summary &&
      opened &&
      risksOfCompany(
        content,
        { isPoliticallyExposed: summary.isPoliticallyExposed, checks: opened },
        { policy, confirmedHits: row.confirmedHits },
      ),
    openHits: row.openHits,
    documents: summary?.documents ?? null,
    decision: row.reviewOutcome,
    corrections: review && correctionProgress(review),
  }
}

/**
 * Reads the complete application, because rows that an earlier version wrote have no summary. Returns null if a value
 * is damaged.
 */
async function summarise(db: Database, { vaultId, id }: CompanyRow) {
  const application = await findKybApplication(db, vaultId, id).catch(nullIfDamaged)
  return application && summaryOf(application)
}

/** Returns the details of the entries' identifications. */
async function unsealPersons(
  db: Database,
  entries: readonly QueueEntry[],
  companies: ReadonlyMap<string, Opened>,
  settings: QueueSettings,
): Promise<ReadonlyMap<string, Opened>> {
  const ids = idsOf(entries, 'identification')
  if (ids.length === 0) return new Map()
  const { id, vaultId, kind, origin, profile, review, confirmedHits } = identifications
  const rows = await db.orm
    .select({ id, vaultId, kind, origin, profile, review, confirmedHits })
    .from(identifications)
    .where(eqAny(id, ids))
  return new Map(
    rows.map((row) => [row.id, unsealPerson(db, row, companies.get(row.id), settingsOf(settings, row))]),
  )
}

type IdentificationRow = Pick<
  typeof identifications.$inferSelect,
  'id' | 'kind' | 'origin' | 'profile' | 'review' | 'confirmedHits'
>

/** Returns the details of an identification. The name, country and documents of a company come from its application. */
function unsealPerson(
  { encryption }: Database,
  row: IdentificationRow,
  company: Opened | undefined,
  { policy }: Setting,
): Opened {
  const profile = orNull(() => encryption.unsealJson<Profile>(row.profile, profileContext(row.id)))
  if (!profile) return { ...NOTHING, title: company?.title ?? null }
  const { name = company?.title, surname } = profile
  const review =
    row.review &&
    orNull(() => encryption.unsealJson<IdentificationReview>(row.review as Buffer, reviewContextOf(row.id)))
  const companyRisks = company ? company.risks : []
  return {
    title: fullNameOf({ name: name ?? '', surname }) || null,
    country: countryOf(profile) ?? company?.country ?? null,
    risks:
      companyRisks &&
      risksOfIdentification({ profile, policy, confirmedHits: row.confirmedHits, companyRisks }),
    openHits: company?.openHits ?? 0,
    documents: isFilledIn(row)
      ? countPhotos(profile, review?.corrections ?? [])
      : (company?.documents ?? null),
    decision: review?.outcome ?? null,
    corrections: review && correctionProgress(review),
  }
}
