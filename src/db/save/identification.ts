/** Queries that write identifications with their search hashes and accounts. */

import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { accounts, identifications } from '../../../drizzle/schema.ts'
import { type IdentificationState, identificationStatus } from '../../domain/identification/identification.ts'
import { formOf } from '../../domain/identification/person-form.ts'
import { type Account, type Identification, isConcluded } from '../../domain/identification/record.ts'
import { currentVersion } from '../access/profile.ts'
import {
  isIdentificationOfVault,
  profileContext,
  proposalContext,
  reviewContext,
} from '../cases/identification.ts'
import type { Database } from '../connection/database.ts'
import { filterColumnsOfPerson } from '../lists/filter-columns.ts'
import { hashProfile } from '../lists/lookup.ts'
import { namePartInserts, namesOfPerson, saveNameParts } from '../lists/name-parts.ts'
import { removeFromProfile } from '../removal/removal.ts'

interface NewIdentification
  extends Pick<Identification, 'id' | 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'state' | 'profile'> {
  readonly beneficiaryId?: string
  /** The first account, or null for the verification of a beneficiary. */
  readonly account: Account | null
}

const stateColumns = (state: IdentificationState) => ({
  verification: state.verification,
  status: identificationStatus(state),
  waitingOn: state.waitingOn,
  awaitsKyb: state.awaitsKyb,
  version: state.version,
  pending: state.pending ?? null,
})

/** Returns inserts for a combined statement, starting with the identification's own row. */
export function identificationInserts(tx: Database, identification: NewIdentification): SQLWrapper[] {
  const { account, state, profile, ...rest } = identification
  const row = tx.orm.insert(identifications).values({
    ...rest,
    ...stateColumns(state),
    ...(rest.kind === 'person' && { profileVersion: currentVersion(rest.vaultId) }),
    profile: tx.encryption.sealJson(profile, profileContext(rest.id)),
    ...hashProfile(tx, profile),
    ...filterColumnsOfPerson(tx, profile),
    namesIndexed: true,
    namesSpelt: true,
    waitingTraceparent: tx.span.traceparent,
  })
  return [
    row,
    ...namePartInserts(tx, rest, namesOfPerson(profile)),
    ...(account ? [accountInsert(tx, rest.id, account)] : []),
  ]
}

const accountInsert = (tx: Database, identificationId: string, account: Account) =>
  tx.orm.insert(accounts).values({ ...account, identificationId })

export async function insertAccount(tx: Database, identificationId: string, account: Account): Promise<void> {
  await accountInsert(tx, identificationId, account)
}

/**
 * Writes the state and the profile. Accounts and holds have their own rows. Returns the IDs of removed files whose blobs
 * must be removed after the commit.
 */
export async function saveIdentification(
  tx: Database,
  before: Identification,
  identification: Identification,
): Promise<string[]> {
  const { id, vaultId, state, profile, review, proposal, screenedWith } = identification
  const unlessChanged = (column: SQL, changed: SQL) =>
    sql`CASE WHEN waiting_on = ${state.waitingOn} THEN ${column} ELSE ${changed} END`
  await tx.orm
    .update(identifications)
    .set({
      ...stateColumns(state),
      profileVersion: formOf(identification).version,
      // The screening of a company is stored with its application.
      ...(identification.origin !== 'kyb_application' && { screenedWith }),
      waitingSince: unlessChanged(sql`waiting_since`, sql`clock_timestamp()`),
      waitingTraceparent: unlessChanged(sql`waiting_traceparent`, sql`${tx.span.traceparent}::text`),
      updatedAt: sql`clock_timestamp()`,
      profile: tx.encryption.sealJson(profile, profileContext(id)),
      ...hashProfile(tx, profile),
      ...filterColumnsOfPerson(tx, profile),
      concludedAt: isConcluded(identification) ? sql`coalesce(concluded_at, clock_timestamp())` : null,
      review: review && tx.encryption.sealJson(review, reviewContext(id)),
      proposal: proposal && tx.encryption.sealJson(proposal, proposalContext(id)),
    })
    .where(isIdentificationOfVault(vaultId, id))
  await saveNameParts(tx, identification, namesOfPerson(before.profile), namesOfPerson(profile))
  return removeFromProfile(tx, before, identification)
}
