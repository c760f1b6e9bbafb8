/** Inserts rows for reports directly into the tables, as if they were years old. */
import { v7 as newId } from 'uuid'
import { identifications, kybApplications, timeline } from '../../drizzle/schema.ts'
import type { DatabasePool } from '../../src/db/connection/database.ts'
import { sealedFor } from '../../src/db/connection/sealed.ts'
import { emptyContent } from '../../src/domain/kyb/fields.ts'
import type { Instance } from './instance.ts'
import { insertLogs } from './webhook.ts'

const HOUR_MS = 3_600_000

/** Returns noon in UTC this number of days ago. */
export const noon = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 86_400_000) - daysAgo) * 86_400_000 + 12 * HOUR_MS)

export const dayOf = (daysAgo: number): string => noon(daysAgo).toISOString().slice(0, 10)

interface Came {
  readonly vaultId: string
  readonly at: Date
  readonly origin?: 'soft_kyc' | 'kyb_application' | 'import'
  readonly verification?: 'initiated' | 'approved' | 'rejected' | 'closed'
  readonly waitingOn?: 'operator' | 'client' | 'nobody'
  readonly waitingSince?: Date
}

async function insertIdentification({ orm, encryption }: DatabasePool, came: Came): Promise<string> {
  const { at: createdAt, origin = 'soft_kyc', verification = 'initiated', waitingOn = 'nobody' } = came
  const id = newId()
  await orm.insert(identifications).values({
    ...{ id, vaultId: came.vaultId, externalUuid: id, kind: 'person', origin, verification, createdAt },
    ...{ status: verification, waitingOn, waitingSince: came.waitingSince ?? createdAt, awaitsKyb: false },
    ...{
      profile: encryption.sealJson({}, sealedFor('identifications.profile', id)),
      workflowStartedAt: createdAt,
    },
  })
  return id
}

interface Applied extends Omit<Came, 'origin' | 'verification' | 'waitingOn'> {
  readonly status?: 'open' | 'processed' | 'abandoned'
  readonly waitingOn?: 'operator' | 'client' | 'nobody'
  readonly outcome?: 'approved' | 'rejected'
}

async function insertApplication(db: DatabasePool, applied: Applied): Promise<string> {
  const { vaultId, at: createdAt, status = 'open', waitingOn = 'nobody' } = applied
  const identificationId = await insertIdentification(db, {
    vaultId,
    at: createdAt,
    origin: 'kyb_application',
  })
  const id = newId()
  await db.orm.insert(kybApplications).values({
    ...{ id, vaultId, identificationId, externalId: id, clientKyc: false, internal: false, createdAt },
    ...{
      passwordHash: Buffer.from(''),
      status,
      completed: true,
      waitingOn,
      currentlyDue: [],
      content: db.encryption.sealJson(emptyContent(), sealedFor('kyb_applications.content', id)),
    },
    ...{ waitingSince: applied.waitingSince ?? createdAt, reviewOutcome: applied.outcome ?? null },
    ...{ workflowStartedAt: createdAt },
  })
  return id
}

/** Inserts the timeline entry of a decision. */
async function decide(
  { orm }: DatabasePool,
  about: { entity: 'kyb' | 'identification'; id: string; vaultId: string },
  { action, to, reason, at }: { action: string; to: string; reason?: 'complete' | 'high_risk'; at: Date },
): Promise<void> {
  const { entity, id: entityId, vaultId } = about
  await orm.insert(timeline).values({
    ...{ entity, entityId, vaultId, action, to, from: 'initiated', actor: 'system', causeId: newId() },
    ...{ reasonCode: reason ?? null, createdAt: at },
  })
}

const later = (at: Date, hours: number) => new Date(at.getTime() + hours * HOUR_MS)

/** Inserts the rows from which the expected reports of a vault follow. */
export async function seedFigures(gatehouse: Instance, vaultId: string): Promise<void> {
  const { db } = gatehouse
  // These applications are decided after 1, 2, ..., 10 hours, and the last one is rejected.
  const at = noon(3)
  for (let hours = 1; hours <= 10; hours += 1) {
    const outcome = hours < 10 ? 'approved' : 'rejected'
    const id = await insertApplication(db, { vaultId, at, status: 'processed', outcome })
    await decide(
      db,
      { entity: 'kyb', id, vaultId },
      {
        action: hours < 10 ? 'approve' : 'reject',
        to: 'processed',
        reason: hours < 10 ? 'complete' : 'high_risk',
        at: later(at, hours),
      },
    )
  }
  // The check approved this identification without a reason two days ago.
  const checked = await insertIdentification(db, { vaultId, at: noon(2), verification: 'approved' })
  await decide(
    db,
    { entity: 'identification', id: checked, vaultId },
    { action: 'check_finished', to: 'approved', at: later(noon(2), 0.5) },
  )
  await insertApplication(db, { vaultId, at: noon(2), waitingOn: 'client' })
  await insertApplication(db, { vaultId, at: noon(2), status: 'abandoned' })
  await insertApplication(db, {
    vaultId,
    at: noon(21),
    waitingOn: 'operator',
    waitingSince: later(new Date(), -490),
  })
  const asked = await insertIdentification(db, {
    ...{ vaultId, at: noon(1), waitingOn: 'operator', waitingSince: later(new Date(), -2) },
  })
  await decide(
    db,
    { entity: 'identification', id: asked, vaultId },
    { action: 'request_information', to: 'initiated', reason: 'high_risk', at: later(noon(1), 1) },
  )
  // Reports exclude an imported identification, and short periods exclude an old application.
  await insertIdentification(db, { vaultId, at: noon(1), origin: 'import', verification: 'approved' })
  await insertApplication(db, { vaultId, at: noon(200), status: 'processed', outcome: 'approved' })
  await insertLogs(
    gatehouse,
    vaultId,
    ...(['completed', 'completed', 'completed', 'failed', 'processing'] as const).map((status) => ({
      status,
      createdAt: noon(4),
    })),
    { status: 'partial', createdAt: noon(400) },
  )
  await gatehouse.asOwner('ANALYZE')
}
