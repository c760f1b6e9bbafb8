/** Queries that write KYB applications with the rows of their beneficiaries and their search hashes. */

import { and, eq, type SQLWrapper, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { beneficiaries, kybApplications } from '../../../drizzle/schema.ts'
import type { Verification } from '../../domain/identification/identification.ts'
import { kybWaitingOn } from '../../domain/kyb/application.ts'
import type { Beneficiary } from '../../domain/kyb/fields.ts'
import type { BeneficiaryLink, KybApplication } from '../../domain/kyb/record.ts'
import { summaryOf } from '../../domain/kyb/summary.ts'
import { newToken } from '../../storage/random.ts'
import { closePageSessions } from '../access/page-session.ts'
import { beneficiaryTokenHash, replaceBeneficiaryToken } from '../cases/beneficiary.ts'
import { sealDecided } from '../cases/decided-content.ts'
import {
  assemble,
  contentContext,
  isKybOfVault,
  personContext,
  proposalContext,
  reviewContext,
  type SealedReview,
  tokenContext,
} from '../cases/kyb-application.ts'
import { passwordHash } from '../cases/kyb-password.ts'
import { companyNameContext } from '../cases/title.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { withInserts } from '../connection/with-inserts.ts'
import { filterColumnsOfCompany } from '../lists/filter-columns.ts'
import { hashBeneficiary, hashCompany } from '../lists/lookup.ts'
import { namePartInserts, namesOfApplication, saveNameParts } from '../lists/name-parts.ts'
import { removeFromContent } from '../removal/removal.ts'

interface NewKybApplication
  extends Pick<
    KybApplication,
    | 'id'
    | 'vaultId'
    | 'identificationId'
    | 'externalId'
    | 'clientKyc'
    | 'internal'
    | 'form'
    | 'content'
    | 'currentlyDue'
    | 'state'
  > {
  /** The plain password. The row contains only its hash. */
  readonly password: string
}

/** Inserts the application and `others` in one statement. */
export async function insertKybApplication(
  tx: Database,
  application: NewKybApplication,
  others: readonly SQLWrapper[],
): Promise<Omit<KybApplication, 'policy'>> {
  const { id, form, content, state, password, ...rest } = application
  const [row] = await withInserts(tx, [
    ...others,
    ...namePartInserts(tx, application, namesOfApplication(content)),
  ])
    .insert(kybApplications)
    .values({
      ...rest,
      ...state,
      id,
      profileVersion: form.version,
      currentlyDue: [...rest.currentlyDue],
      waitingOn: kybWaitingOn(state),
      passwordHash: passwordHash(tx, id, password),
      content: sealContent(tx, { ...application, checks: new Map() }),
      companyName: sealCompanyName(tx, application),
      ...hashCompany(tx, content),
      ...filterColumnsOfCompany(tx, content),
      namesIndexed: true,
      namesSpelt: true,
    })
    .returning()
  if (!row) throw new Error('the application was not written')
  const people = await saveBeneficiaries(tx, id, [], content.beneficiaries.beneficiaries_list)
  return assemble(tx, {
    row,
    form,
    people: people.map((person) => ({ ...person, checkId: person.id, check: null })),
    uploaded: [],
  })
}

/** Encrypts the content with the summary. Omits the beneficiaries, which have their own rows. */
function sealContent(
  db: Database,
  application: Pick<KybApplication, 'id' | 'form' | 'state' | 'content' | 'checks' | 'currentlyDue'>,
): Buffer {
  const { id, content } = application
  const { beneficiaries_list: _, ...beneficiariesSection } = content.beneficiaries
  const sealed = { ...content, beneficiaries: beneficiariesSection, summary: summaryOf(application) }
  return db.encryption.sealJson(sealed, contentContext(id))
}

const sealCompanyName = (db: Database, { id, content }: Pick<KybApplication, 'id' | 'content'>): Buffer =>
  db.encryption.seal(content.nature_of_business.legal_company_name ?? '', companyNameContext(id))

/**
 * Writes all changes that a command can make. Returns the new links of beneficiaries whose check has ended, and the IDs
 * of removed files whose blobs must be removed after the commit.
 */
export async function saveKybApplication(tx: Database, before: KybApplication, application: KybApplication) {
  const { id, state, content, review, corrections, replies, submittedAt, currentlyDue } = application
  const { proposal, screenedWith } = application
  const waitingOn = kybWaitingOn(state)
  const isDecided = review !== null && review.decidedAt !== before.review?.decidedAt
  await tx.orm
    .update(kybApplications)
    .set({
      ...state,
      waitingOn,
      waitingSince: sql`CASE WHEN waiting_on = ${waitingOn} THEN waiting_since ELSE clock_timestamp() END`,
      updatedAt: sql`clock_timestamp()`,
      pending: state.pending ?? null,
      profileVersion: application.form.version,
      proposal: proposal && tx.encryption.sealJson(proposal, proposalContext(id)),
      currentlyDue: [...currentlyDue],
      screenedWith,
      content: sealContent(tx, application),
      companyName: sealCompanyName(tx, application),
      ...hashCompany(tx, content),
      ...filterColumnsOfCompany(tx, content),
      reviewOutcome: review?.outcome ?? null,
      reviewReasonCode: review?.reasonCode ?? null,
      reviewedAt: review?.decidedAt ?? null,
      submittedAt,
      review:
        review &&
        tx.encryption.sealJson(
          {
            clientComment: review.clientComment,
            findings: review.findings,
            places: review.places,
            corrections,
            replies,
          } satisfies SealedReview,
          reviewContext(id),
        ),
      ...(isDecided && { decidedContent: sealDecided(tx, application) }),
    })
    .where(isKybOfVault(application.vaultId, id))
  await saveBeneficiaries(
    tx,
    id,
    before.content.beneficiaries.beneficiaries_list,
    content.beneficiaries.beneficiaries_list,
  )
  await saveNameParts(tx, application, namesOfApplication(before.content), namesOfApplication(content))
  const erasedFiles = await removeFromContent(tx, before, application)
  return { renewed: await renewChecks(tx, before, application), erasedFiles }
}

/**
 * Replaces the links of beneficiaries whose check has ended, and returns the new ones. Opening a new link begins a new
 * check. The earlier link becomes invalid.
 */
async function renewChecks(
  tx: Database,
  { checks: before }: KybApplication,
  { checks: after }: KybApplication,
): Promise<ReadonlyMap<string, BeneficiaryLink>> {
  const renewed = new Map<string, BeneficiaryLink>()
  for (const [personId, { id }] of before) {
    if (after.has(personId)) continue
    const [token, checkId] = [newToken(), newId()]
    const expiresAt = await replaceBeneficiaryToken(tx, personId, token, checkId)
    await closePageSessions(tx, [id])
    renewed.set(personId, { token, expiresAt, checkId, verification: 'initiated', isBegun: false })
  }
  return renewed
}

/** Returns the IDs of beneficiaries in `before` who are missing from `after`. */
export const removedBeneficiaries = (before: readonly Beneficiary[], after: readonly Beneficiary[]) =>
  before.map((person) => person.external_id).filter((id) => !after.some((other) => other.external_id === id))

/** Writes the rows of new, changed and removed beneficiaries. Returns the rows of the new and changed ones. */
async function saveBeneficiaries(
  tx: Database,
  id: string,
  before: readonly Beneficiary[],
  after: readonly Beneficiary[],
) {
  const gone = removedBeneficiaries(before, after)
  if (gone.length > 0)
    await tx.orm
      .update(beneficiaries)
      .set({ removedAt: sql`clock_timestamp()` })
      .where(eqAny(beneficiaries.id, gone))
  const rows = after.flatMap((person, position) => {
    if (JSON.stringify(before[position]) === JSON.stringify(person)) return []
    // Only the row of a new person stores the token, because the link of an existing person does not change.
    const token = newToken()
    return [
      {
        id: person.external_id,
        kybApplicationId: id,
        position,
        person: tx.encryption.sealJson(person, personContext(person.external_id)),
        token: tx.encryption.seal(token, tokenContext(person.external_id)),
        tokenHash: beneficiaryTokenHash(tx, token),
        ...hashBeneficiary(tx, person),
      },
    ]
  })
  if (rows.length === 0) return []
  return tx.orm
    .insert(beneficiaries)
    .values(rows)
    .onConflictDoUpdate({
      target: beneficiaries.id,
      set: {
        position: sql`excluded.position`,
        person: sql`excluded.person`,
        emailHash: sql`excluded.email_hash`,
      },
    })
    .returning()
}

/**
 * Records whether a rejected application is under appeal. An appeal continues while the reviewer requests information.
 */
export const recordAppeal = (tx: Database, vaultId: string, id: string, verification: Verification) =>
  tx.orm
    .update(kybApplications)
    .set({ appealed: verification !== 'rejected' && verification !== 'closed' })
    .where(and(isKybOfVault(vaultId, id), eq(kybApplications.reviewOutcome, 'rejected')))
