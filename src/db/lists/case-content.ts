/** Queries for the content of cases in lists. They decrypt only the rows of one page, and a damaged value is null. */

import { setImmediate } from 'node:timers/promises'
import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { beneficiaries, identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { ReviewPolicy } from '../../domain/access/review-policy.ts'
import type { Risk } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import { isFilledIn } from '../../domain/identification/identification.ts'
import { countPhotos } from '../../domain/identification/person-form.ts'
import { countryOf, type Profile } from '../../domain/identification/profile.ts'
import { risksOfIdentification } from '../../domain/identification/transition.ts'
import { risksOfCompany } from '../../domain/kyb/risk.ts'
import { type SealedContent, summaryOf } from '../../domain/kyb/summary.ts'
import { fullNameOf } from '../../domain/names/full-name.ts'
import { correctionProgress, type DetailedEntry, type QueueEntry } from '../../domain/review/queue.ts'
import { readApplicantForm } from '../access/profile.ts'
import { profileContext, unsealReview } from '../cases/identification.ts'
import {
  contentContext,
  findKybApplication,
  reviewContext,
  type SealedReview,
} from '../cases/kyb-application.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { nullIfDamaged, orNull } from '../connection/sealed.ts'

interface CaseContent extends Pick<DetailedEntry, 'title' | 'country' | 'documents' | 'corrections'> {
  readonly risks: readonly Risk[] | null
  /** The number of the company's open hits, if the entry is a company's identification. */
  readonly openHits: number
  /** The outcome of the latest decision, or null. */
  readonly decision: string | null
}

/** The content of a case that cannot be decrypted. */
export const DAMAGED: CaseContent = {
  title: null,
  country: null,
  risks: null,
  openHits: 0,
  documents: null,
  decision: null,
  corrections: null,
}

type PolicyOf = (row: { readonly vaultId: string }) => ReviewPolicy

/** Returns the content of the cases, keyed by ID. */
export async function unsealCases(
  db: Database,
  entries: readonly QueueEntry[],
  policyOf: PolicyOf,
): Promise<ReadonlyMap<string, CaseContent>> {
  const companies = await unsealCompanies(db, entries, policyOf)
  const ids = idsOf(entries, 'identification')
  const persons = ids.length > 0 ? await selectPersons(db, ids) : []
  const contents = new Map(companies)
  for (const row of persons)
    contents.set(row.id, await unsealPerson(db, row, companies.get(row.id), policyOf(row)))
  return contents
}

export const idsOf = (entries: readonly QueueEntry[], kind: Entity): string[] =>
  entries.filter((entry) => entry.kind === kind).map(({ id }) => id)

/** Returns the content of the companies, keyed by the IDs of the application and of the identification. */
async function unsealCompanies(
  db: Database,
  entries: readonly QueueEntry[],
  policyOf: PolicyOf,
): Promise<ReadonlyMap<string, CaseContent>> {
  const rows = await selectCompanies(db, entries)
  const checks = new Map<string, CheckRow[]>(rows.map(({ id }) => [id, []]))
  if (rows.length > 0)
    for (const check of await selectChecks(db, [...checks.keys()])) checks.get(check.kybId)?.push(check)
  const companies = new Map<string, CaseContent>()
  for (const row of rows) {
    const begun = checks.get(row.id) ?? []
    const content = await unsealCompany(db, row, begun, policyOf(row))
    companies.set(row.id, content).set(row.identificationId, content)
    // Lets other requests run in between, because a company can have the checks of 100 beneficiaries.
    if (begun.length > 0) await setImmediate()
  }
  return companies
}

type CompanyRow = Awaited<ReturnType<typeof selectCompanies>>[number]

function selectCompanies(db: Database, entries: readonly QueueEntry[]) {
  const { id, vaultId, identificationId, version, content, review, reviewOutcome } = kybApplications
  const { openHits, confirmedHits } = kybApplications
  const columns = { id, vaultId, identificationId, version, content, review, reviewOutcome }
  return db.orm
    .select({ ...columns, openHits, confirmedHits })
    .from(kybApplications)
    .where(or(eqAny(id, idsOf(entries, 'kyb')), eqAny(identificationId, idsOf(entries, 'identification'))))
}

export const CURRENT_CHECK = and(
  sql`${identifications.id} = coalesce(${beneficiaries.checkId}, ${beneficiaries.id})`,
  eq(identifications.origin, 'beneficiary'),
)

type CheckRow = Awaited<ReturnType<typeof selectChecks>>[number]

function selectChecks(db: Database, kybIds: readonly string[]) {
  const { id, profile, confirmedHits } = identifications
  const { kybApplicationId: kybId, removedAt } = beneficiaries
  return db.orm
    .select({ kybId, id, profile, confirmedHits })
    .from(beneficiaries)
    .innerJoin(identifications, CURRENT_CHECK)
    .where(and(eqAny(kybId, kybIds), isNull(removedAt)))
}

async function unsealCompany(
  db: Database,
  row: CompanyRow,
  checks: readonly CheckRow[],
  policy: ReviewPolicy,
): Promise<CaseContent> {
  const { unsealJson } = db.encryption
  const content = orNull(() => unsealJson<SealedContent>(row.content, contentContext(row.id)))
  if (!content) return DAMAGED
  const { legal_company_name, country_of_incorporation } = content.nature_of_business
  const summary = content.summary?.version === row.version ? content.summary : await summarise(db, row)
  const opened = orNull(() =>
    checks.map(({ id, profile, confirmedHits }) => ({
      confirmedHits,
      profile: unsealJson<Profile>(profile, profileContext(id)),
    })),
  )
  const { review: sealed, reviewOutcome } = row
  const review =
    reviewOutcome === 'revision_requested' &&
    sealed &&
    orNull(() => unsealJson<SealedReview>(sealed, reviewContext(row.id)))
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
    decision: reviewOutcome,
    corrections: review ? correctionProgress(review) : null,
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

type PersonRow = Awaited<ReturnType<typeof selectPersons>>[number]

function selectPersons(db: Database, ids: readonly string[]) {
  const { id, vaultId, profileVersion, kind, origin, profile, review, confirmedHits } = identifications
  return db.orm
    .select({ id, vaultId, profileVersion, kind, origin, profile, review, confirmedHits })
    .from(identifications)
    .where(eqAny(id, ids))
}

/** Returns the content of an identification. The name, country and documents of a company come from its application. */
async function unsealPerson(
  db: Database,
  row: PersonRow,
  company: CaseContent | undefined,
  policy: ReviewPolicy,
): Promise<CaseContent> {
  const { encryption } = db
  const profile = orNull(() => encryption.unsealJson<Profile>(row.profile, profileContext(row.id)))
  if (!profile) return { ...DAMAGED, title: company?.title ?? null }
  const { name = company?.title, surname } = profile
  const { vaultId, profileVersion, confirmedHits } = row
  const review = unsealReview(db, row.id, row.review)
  const companyRisks = company ? company.risks : []
  return {
    title: fullNameOf({ name: name ?? '', surname }) || null,
    country: countryOf(profile) ?? company?.country ?? null,
    risks: companyRisks && risksOfIdentification({ profile, policy, confirmedHits, companyRisks }),
    openHits: company?.openHits ?? 0,
    documents: isFilledIn(row)
      ? countPhotos(
          profile,
          review?.corrections ?? [],
          // The process caches the forms, so that this needs no query for each row.
          await readApplicantForm(db, vaultId, profileVersion, policy.highRiskCountries),
        )
      : (company?.documents ?? null),
    decision: review?.outcome ?? null,
    corrections: review && correctionProgress(review),
  }
}
