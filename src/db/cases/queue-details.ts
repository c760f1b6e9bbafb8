/** Queries for the data that the queue shows for its entries. They decrypt only the rows of one page. */
import { setImmediate } from 'node:timers/promises'
import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import { beneficiaries, identifications, kybApplications, vaults } from '../../../drizzle/schema.ts'
import type { ReviewPolicy } from '../../domain/decision/confirmation.ts'
import {
  correctionProgress,
  type DetailedEntry,
  type QueueEntry,
  queueReason,
} from '../../domain/decision/queue.ts'
import { reviewDueAt } from '../../domain/decision/review-target.ts'
import { type Risk, riskLevel } from '../../domain/decision/risk.ts'
import type { Entity } from '../../domain/entity.ts'
import { isFilledIn } from '../../domain/identification/identification.ts'
import { countPhotos } from '../../domain/identification/person-form.ts'
import { countryOf, type Profile } from '../../domain/identification/profile.ts'
import type { IdentificationReview } from '../../domain/identification/record.ts'
import { risksOfIdentification } from '../../domain/identification/transition.ts'
import { type BeneficiaryCheck, verifiedIn } from '../../domain/kyb/beneficiary-check.ts'
import type { Beneficiary, KybContent } from '../../domain/kyb/fields.ts'
import { countDocuments } from '../../domain/kyb/requirements.ts'
import { risksOfKyb } from '../../domain/kyb/transition.ts'
import type { Encryption } from '../../storage/encryption.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull } from '../connection/sealed.ts'
import { profileContext, reviewContext as reviewContextOf } from './identification.ts'
import { contentContext, personContext, reviewContext, type SealedReview } from './kyb-application.ts'

/** The details of an entry that come from encrypted data. Damaged values are null. */
interface Opened extends Pick<DetailedEntry, 'title' | 'country' | 'documents' | 'corrections'> {
  readonly risks: readonly Risk[] | null
  /** For the identification of a company, the company's open hits. */
  readonly openHits: number
  readonly isChangeRequested: boolean
}

const NOTHING: Opened = {
  title: null,
  country: null,
  risks: null,
  openHits: 0,
  documents: null,
  isChangeRequested: false,
  corrections: null,
}

const idsOf = (entries: readonly QueueEntry[], kind: Entity): string[] =>
  entries.filter((entry) => entry.kind === kind).map(({ id }) => id)

/** Adds the details in a constant number of queries. Damaged values are null, so that the list shows all others. */
export async function addDetails(db: Database, entries: readonly QueueEntry[]): Promise<DetailedEntry[]> {
  if (entries.length === 0) return []
  const settings = await readSettings(db, entries)
  const companies = await openCompanies(db, entries, settings)
  const persons = await openPersons(db, entries, companies, settings)
  return entries.map((entry) => {
    const { reviewTargetHours } = settingsOf(settings, entry)
    const { risks, openHits, isChangeRequested, corrections, ...details } =
      (entry.kind === 'kyb' ? companies : persons).get(entry.id) ?? NOTHING
    const reason = queueReason(entry, isChangeRequested)
    return {
      ...entry,
      ...details,
      riskLevel: risks && riskLevel(risks, Math.max(entry.openHits, openHits)),
      reason,
      corrections: reason === 'resubmitted' ? corrections : null,
      reviewTargetHours,
      dueAt: entry.waitingOn === 'operator' ? reviewDueAt(entry.waitingSince, reviewTargetHours) : null,
    }
  })
}

type Settings = ReadonlyMap<string, Setting>
interface Setting {
  readonly policy: ReviewPolicy
  readonly reviewTargetHours: number
}

function settingsOf(settings: Settings, { vaultId }: { readonly vaultId: string }): Setting {
  const found = settings.get(vaultId)
  if (!found) throw new Error('a case’s vault is not in the database')
  return found
}

/** Returns the settings of the entries' vaults. */
async function readSettings(db: Database, entries: readonly QueueEntry[]): Promise<Settings> {
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
 * Returns a text that changes with the settings of the entries' vaults and with the checks of beneficiaries. Details
 * depend on both, but the versions of the entries do not.
 */
export async function readDetailsVersion(db: Database, entries: readonly QueueEntry[]): Promise<string> {
  const { kybApplicationId, removedAt } = beneficiaries
  const settings = await readSettings(db, entries)
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

/** Returns the entries' companies, keyed by the IDs of both the application and the identification. */
async function openCompanies(
  db: Database,
  entries: readonly QueueEntry[],
  settings: Settings,
): Promise<ReadonlyMap<string, Opened>> {
  const { id, vaultId, identificationId, content, review, reviewOutcome, currentlyDue } = kybApplications
  const { openHits, confirmedHits } = kybApplications
  const rows = await db.orm
    .select({
      id,
      vaultId,
      identificationId,
      content,
      review,
      reviewOutcome,
      currentlyDue,
      openHits,
      confirmedHits,
    })
    .from(kybApplications)
    .where(or(eqAny(id, idsOf(entries, 'kyb')), eqAny(identificationId, idsOf(entries, 'identification'))))
  const people = new Map<string, PersonRow[]>(rows.map((row) => [row.id, []]))
  if (rows.length > 0)
    for (const person of await selectPeople(db, [...people.keys()])) people.get(person.kybId)?.push(person)
  const companies = new Map<string, Opened>()
  for (const row of rows) {
    const opened = openCompany(db, row, people.get(row.id) ?? [], settingsOf(settings, row))
    companies.set(row.id, opened).set(row.identificationId, opened)
    // Lets other requests run, because a company can have 100 beneficiaries.
    await setImmediate()
  }
  return companies
}

type PersonRow = Awaited<ReturnType<typeof selectPeople>>[number]

/** Selects the beneficiaries of these applications with their current checks. */
const selectPeople = (db: Database, kybIds: readonly string[]) =>
  db.orm
    .select({
      id: beneficiaries.id,
      kybId: beneficiaries.kybApplicationId,
      person: beneficiaries.person,
      check: {
        id: identifications.id,
        verification: identifications.verification,
        profile: identifications.profile,
        confirmedHits: identifications.confirmedHits,
      },
    })
    .from(beneficiaries)
    .leftJoin(identifications, CURRENT_CHECK)
    .where(and(eqAny(beneficiaries.kybApplicationId, kybIds), isNull(beneficiaries.removedAt)))

type CompanyRow = Pick<
  typeof kybApplications.$inferSelect,
  'id' | 'content' | 'review' | 'reviewOutcome' | 'currentlyDue' | 'openHits' | 'confirmedHits'
>

function openCompany(
  { encryption }: Database,
  row: CompanyRow,
  people: readonly PersonRow[],
  { policy }: Setting,
): Opened {
  const content = orNull(() => encryption.openJson<KybContent>(row.content, contentContext(row.id)))
  if (!content) return NOTHING
  const { legal_company_name, country_of_incorporation } = content.nature_of_business
  const complete = orNull(() => withPeople(encryption, content, people))
  const review =
    row.reviewOutcome === 'revision_requested' && row.review
      ? orNull(() => encryption.openJson<SealedReview>(row.review as Buffer, reviewContext(row.id)))
      : null
  return {
    title: legal_company_name || null,
    country: country_of_incorporation ?? null,
    risks: complete && risksOfKyb({ ...complete, policy, confirmedHits: row.confirmedHits }),
    openHits: row.openHits,
    documents:
      complete &&
      countDocuments(complete.content, {
        verified: verifiedIn(complete.content, complete.checks),
        due: row.currentlyDue,
      }),
    isChangeRequested: row.reviewOutcome === 'revision_requested',
    corrections: review && correctionProgress(review),
  }
}

/** Returns the content with its beneficiaries and their checks. Throws if a value is damaged. */
function withPeople({ openJson }: Encryption, content: KybContent, people: readonly PersonRow[]) {
  const persons = people.map(({ id, person }) => openJson<Beneficiary>(person, personContext(id)))
  const checks = people.flatMap(({ id, check }): [string, BeneficiaryCheck][] =>
    check ? [[id, { ...check, profile: openJson<Profile>(check.profile, profileContext(check.id)) }]] : [],
  )
  return {
    content: { ...content, beneficiaries: { ...content.beneficiaries, beneficiaries_list: persons } },
    checks: new Map(checks),
  }
}

/** Returns the identifications of the entries. */
async function openPersons(
  db: Database,
  entries: readonly QueueEntry[],
  companies: ReadonlyMap<string, Opened>,
  settings: Settings,
): Promise<ReadonlyMap<string, Opened>> {
  const { id, vaultId, kind, origin, profile, review, confirmedHits } = identifications
  const rows = await db.orm
    .select({ id, vaultId, kind, origin, profile, review, confirmedHits })
    .from(identifications)
    .where(eqAny(id, idsOf(entries, 'identification')))
  return new Map(
    rows.map((row) => [row.id, openPerson(db, row, companies.get(row.id), settingsOf(settings, row))]),
  )
}

type IdentificationRow = Pick<
  typeof identifications.$inferSelect,
  'id' | 'kind' | 'origin' | 'profile' | 'review' | 'confirmedHits'
>

/** The application has the name, the country and the documents of a company. */
function openPerson(
  { encryption }: Database,
  row: IdentificationRow,
  company: Opened | undefined,
  { policy }: Setting,
): Opened {
  const profile = orNull(() => encryption.openJson<Profile>(row.profile, profileContext(row.id)))
  if (!profile) return { ...NOTHING, title: company?.title ?? null }
  const { name = company?.title, surname } = profile
  const review =
    row.review &&
    orNull(() => encryption.openJson<IdentificationReview>(row.review as Buffer, reviewContextOf(row.id)))
  const companyRisks = company ? company.risks : []
  return {
    title: [name, surname].filter(Boolean).join(' ') || null,
    country: countryOf(profile) ?? company?.country ?? null,
    risks:
      companyRisks &&
      risksOfIdentification({ profile, policy, confirmedHits: row.confirmedHits, companyRisks }),
    openHits: company?.openHits ?? 0,
    documents: isFilledIn(row)
      ? countPhotos(profile, review?.corrections ?? [])
      : (company?.documents ?? null),
    isChangeRequested: review?.outcome === 'initiated',
    corrections: review && correctionProgress(review),
  }
}
