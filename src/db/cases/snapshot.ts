/** Queries for the state that an entity's workflow keeps. They decrypt nothing. */

import { and, gt } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import {
  type IdentificationSnapshot,
  identificationStatus,
  isIdentificationEnded,
} from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { isKybEnded, type KybSnapshot, kybWaitingOn } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { LIVE } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'
import { findHoldsInForce } from './hold.ts'
import { isIdentificationOfVault } from './identification.ts'
import { isKybOfVault } from './kyb-application.ts'

/** The maximum number of missing paths in a workflow's state, to keep histories small. */
const SHOWN_PATHS = 20

type KybColumns = Pick<KybApplication, 'state' | 'identificationId' | 'currentlyDue' | 'review'>

export const kybSnapshot = ({ state, identificationId, currentlyDue, review }: KybColumns): KybSnapshot => ({
  ...state,
  identificationId,
  waitingOn: kybWaitingOn(state),
  ended: isKybEnded(state),
  missing: currentlyDue.slice(0, SHOWN_PATHS),
  missingCount: currentlyDue.length,
  review: review && {
    outcome: review.outcome,
    reasonCode: review.reasonCode,
    decidedAt: review.decidedAt.toISOString(),
  },
})

function selectKyb(db: Database) {
  const { status, completed, correcting, unsubmitted, version, pending, ...shown } = kybApplications
  return db.orm
    .select({
      id: shown.id,
      vaultId: shown.vaultId,
      state: { status, completed, correcting, unsubmitted, version, pending },
      identificationId: shown.identificationId,
      currentlyDue: shown.currentlyDue,
      outcome: shown.reviewOutcome,
      reasonCode: shown.reviewReasonCode,
      decidedAt: shown.reviewedAt,
    })
    .from(kybApplications)
}

type KybRow = Awaited<ReturnType<typeof selectKyb>>[number]

function kybOfRow({ outcome, reasonCode, decidedAt, ...row }: KybRow): KybSnapshot {
  const review = outcome &&
    reasonCode &&
    decidedAt && { outcome, reasonCode, decidedAt, clientComment: null, findings: [] }
  return kybSnapshot({ ...row, review })
}

export async function readKybSnapshot(db: Database, vaultId: string, id: string) {
  const [row] = await selectKyb(db).where(isKybOfVault(vaultId, id))
  return row ? kybOfRow(row) : null
}

/** An entity that has not ended, and the state that its workflow should have. */
interface Live<State> extends Ref {
  readonly state: State
}

/** Returns a page of open applications, in the order of their IDs. */
export async function findLiveKybs(db: Database, after: string, limit: number): Promise<Live<KybSnapshot>[]> {
  const { id } = kybApplications
  const rows = await selectKyb(db)
    .where(and(LIVE.kyb, gt(id, after)))
    .orderBy(id)
    .limit(limit)
  return rows.map((row) => ({ id: row.id, vaultId: row.vaultId, state: kybOfRow(row) }))
}

export const identificationSnapshot = ({
  state,
  kind,
  origin,
}: Pick<Identification, 'state' | 'kind' | 'origin'>): IdentificationSnapshot => ({
  ...state,
  kind,
  origin,
  status: identificationStatus(state),
  ended: isIdentificationEnded(state),
})

function selectIdentification(db: Database) {
  const { id, vaultId, verification, waitingOn, awaitsKyb, version, pending, kind, origin } = identifications
  return db.orm
    .select({ id, vaultId, state: { verification, waitingOn, awaitsKyb, version, pending }, kind, origin })
    .from(identifications)
}

const withHolds = (
  { state, kind, origin }: Awaited<ReturnType<typeof selectIdentification>>[number],
  inForce: Awaited<ReturnType<typeof findHoldsInForce>>,
): IdentificationSnapshot => {
  const held = inForce.map(({ id, owner, services }) => ({ id, owner, services }))
  return identificationSnapshot({ kind, origin, state: { ...state, holds: held } })
}

export async function readIdentificationSnapshot(db: Database, vaultId: string, id: string) {
  const [row] = await selectIdentification(db).where(isIdentificationOfVault(vaultId, id))
  return row ? withHolds(row, await findHoldsInForce(db, [id])) : null
}

/** Returns a page of open identifications, in the order of their IDs. */
export async function findLiveIdentifications(
  db: Database,
  after: string,
  limit: number,
): Promise<Live<IdentificationSnapshot>[]> {
  const rows = await selectIdentification(db)
    .where(and(LIVE.identification, gt(identifications.id, after)))
    .orderBy(identifications.id)
    .limit(limit)
  const inForce = await findHoldsInForce(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    vaultId: row.vaultId,
    state: withHolds(
      row,
      inForce.filter((hold) => hold.identificationId === row.id),
    ),
  }))
}
