/** The states of entities as their workflows carry them: light reads, nothing sealed is opened. */
import { and, eq } from 'drizzle-orm'
import { identifications, kybApplications } from '../../drizzle/schema.ts'
import type { IdentificationSnapshot } from '../domain/identification.ts'
import type { KybSnapshot } from '../domain/kyb-application.ts'
import type { Database } from './database.ts'
import { holdsInForce, type Identification } from './identification.ts'
import type { KybApplication } from './kyb-application.ts'

/** How many missing paths a workflow shows; histories and carried state stay small. */
const SHOWN_PATHS = 20

type KybColumns = Pick<KybApplication, 'state' | 'identificationId' | 'currentlyDue' | 'review'>

export const kybSnapshot = ({ state, identificationId, currentlyDue, review }: KybColumns): KybSnapshot => ({
  ...state,
  identificationId,
  missing: currentlyDue.slice(0, SHOWN_PATHS),
  missingCount: currentlyDue.length,
  review: review && {
    outcome: review.outcome,
    reasonCode: review.reasonCode,
    decidedAt: review.decidedAt.toISOString(),
  },
})

export async function readKybSnapshot(
  db: Database,
  vaultId: string,
  id: string,
): Promise<KybSnapshot | null> {
  const { status, completed, correcting, version, pending, ...shown } = kybApplications
  const [row] = await db.orm
    .select({
      state: { status, completed, correcting, version, pending },
      identificationId: shown.identificationId,
      currentlyDue: shown.currentlyDue,
      outcome: shown.reviewOutcome,
      reasonCode: shown.reviewReasonCode,
      decidedAt: shown.reviewedAt,
    })
    .from(kybApplications)
    .where(and(eq(kybApplications.vaultId, vaultId), eq(kybApplications.id, id)))
  if (!row) return null
  const { outcome, reasonCode, decidedAt } = row
  const review = outcome &&
    reasonCode &&
    decidedAt && { outcome, reasonCode, decidedAt, clientComment: null, findings: [] }
  return kybSnapshot({ ...row, review })
}

export const identificationSnapshot = ({
  state,
  kind,
  origin,
}: Pick<Identification, 'state' | 'kind' | 'origin'>): IdentificationSnapshot => ({ ...state, kind, origin })

export async function readIdentificationSnapshot(
  db: Database,
  vaultId: string,
  id: string,
): Promise<IdentificationSnapshot | null> {
  const { verification, waitingOn, awaitsKyb, version, pending, kind, origin } = identifications
  const [row] = await db.orm
    .select({ verification, waitingOn, awaitsKyb, version, pending, kind, origin })
    .from(identifications)
    .where(and(eq(identifications.vaultId, vaultId), eq(identifications.id, id)))
  if (!row) return null
  const inForce = await holdsInForce(db, [id])
  return {
    ...row,
    holds: inForce.map((hold) => ({ id: hold.id, owner: hold.owner, services: hold.services })),
  }
}
