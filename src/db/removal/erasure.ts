/** Queries that erase the personal data of an identification and its application, except for the blobs. */
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import {
  commands,
  counters,
  files,
  identifications,
  kybApplications,
  webhookLogs,
} from '../../../drizzle/schema.ts'
import type { IdentificationReview } from '../../domain/identification/record.ts'
import { emptyContent } from '../../domain/kyb/fields.ts'
import { erasedPayload } from '../../domain/review/erasure.ts'
import type { Retained } from '../../domain/review/retention.ts'
import { closePageSessions } from '../access/page-session.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { partsOf, SEALED, SEALED_COLUMNS, type SealedColumn, sealedFor } from '../connection/sealed.ts'
import { detachFiles } from '../files/file.ts'
import { NO_FILTER_COLUMNS } from '../lists/filter-columns.ts'
import { deleteNameParts } from '../lists/name-parts.ts'
import { getApplicationsWithHitsForUpdate, recountHits, removedSubjects } from '../screening/screening-hit.ts'
import { selectWithIds } from '../webhooks/log.ts'

type Erased = Pick<Retained, 'id' | 'kyb' | 'beneficiaryIds'>

const identificationsOf = ({ id, beneficiaryIds }: Pick<Erased, 'id' | 'beneficiaryIds'>): string[] => [
  id,
  ...beneficiaryIds,
]
const entitiesOf = (erased: Erased): string[] => [
  ...identificationsOf(erased),
  ...(erased.kyb ? [erased.kyb.id] : []),
]

/** Withdraws the entities' commands, except those that are applied. Waits for commands that are being applied. */
export async function withdrawCommands(tx: Database, erased: Erased): Promise<void> {
  const own = eqAny(commands.entityId, entitiesOf(erased))
  // Locks the commands in the order in which transactions apply them.
  await tx.orm.select({ id: commands.id }).from(commands).where(own).orderBy(commands.id).for('update')
  await tx.orm.delete(commands).where(and(own, isNull(commands.appliedAt)))
}

type TableOf<C extends SealedColumn> = C extends `${infer T}.${string}` ? T : never
type Treated<E> = { [C in SealedColumn]: (typeof SEALED)[C]['erasure'] extends E ? C : never }[SealedColumn]
type TreatedTable = TableOf<Treated<'cleared' | 'emptied' | 'deleted'>>

/** Returns, for each table, the condition for the rows about the erased entities. */
function rowsOf(erased: Erased, logIds: readonly string[]): Record<TreatedTable, SQL> {
  const { kyb } = erased
  const among = (column: SQL, ids: readonly string[]) => sql`${column} = ANY(${sql.param(ids)}::uuid[])`
  const ids = identificationsOf(erased)
  const ofIdentifications = among(sql`identification_id`, ids)
  const ofKyb = sql`kyb_application_id = ${kyb?.id ?? null}::uuid`
  const ofEntities = among(sql`entity_id`, entitiesOf(erased))
  return {
    identifications: among(sql`id`, ids),
    kyb_applications: sql`id = ${kyb?.id ?? null}::uuid`,
    beneficiaries: ofKyb,
    files: sql`(${ofKyb} OR ${ofIdentifications})`,
    // Excludes commands that are not applied. The process that tries to apply them will refuse them.
    commands: sql`${ofEntities} AND applied_at IS NOT NULL`,
    timeline: ofEntities,
    kept_values: ofEntities,
    review_marks: ofEntities,
    holds: ofIdentifications,
    service_blocks: sql`account_id IN (SELECT id FROM accounts WHERE ${ofIdentifications})`,
    verification_links: ofIdentifications,
    emails: ofIdentifications,
    screening_hits: sql`(${ofEntities} OR subject IN (${removedSubjects(ids)}))`,
    webhook_attempts: among(sql`webhook_log_id`, logIds),
  }
}

/** The functions that return the text that replaces a value. They decrypt the value only if part of it remains. */
const LEFT: Record<Treated<'emptied'>, (open: () => string) => string> = {
  'identifications.profile': () => JSON.stringify({}),
  'identifications.review': (open) => {
    const { verified: _, places: __, ...review }: IdentificationReview = JSON.parse(open())
    return JSON.stringify({ ...review, clientComment: null, findings: [], corrections: [], replies: [] })
  },
  'kyb_applications.content': () => {
    const { beneficiaries_list: _, ...owners } = emptyContent().beneficiaries
    return JSON.stringify({ ...emptyContent(), beneficiaries: owners })
  },
  'files.name': () => '',
}

/**
 * Erases the content of the rows, their search hashes and the response excerpts of the given webhook logs. Returns the
 * IDs of files whose blobs must be removed after the commit.
 */
export async function eraseRows(tx: Database, erased: Erased, logIds: readonly string[]): Promise<string[]> {
  const detached = await detachFiles(tx, filesOf(erased), 'now')
  const applications = await getApplicationsWithHitsForUpdate(tx, identificationsOf(erased))
  await eraseSealed(tx, erased, logIds)
  for (const id of applications) await recountHits(tx, { entity: 'kyb', id })
  await eraseTraces(tx, erased)
  return detached
}

/** Erases every encrypted column as `SEALED` specifies. */
async function eraseSealed(tx: Database, erased: Erased, logIds: readonly string[]): Promise<void> {
  const rows = rowsOf(erased, logIds)
  for (const name of SEALED_COLUMNS) {
    const { erasure } = SEALED[name]
    if (erasure === 'kept') continue
    const { table, tableName, column } = partsOf(name)
    const own = rows[tableName as TreatedTable]
    if (erasure === 'deleted') await tx.orm.execute(sql`DELETE FROM ${table} WHERE ${own}`)
    if (erasure === 'cleared') await tx.orm.execute(sql`UPDATE ${table} SET ${column} = NULL WHERE ${own}`)
    if (erasure === 'emptied') await emptyColumn(tx, name as Treated<'emptied'>, own)
  }
}

async function emptyColumn(tx: Database, name: Treated<'emptied'>, own: SQL): Promise<void> {
  const { table, column, owner } = partsOf(name)
  const values = await tx.orm
    .select({ owner: sql<string>`${owner}::text`, sealed: sql<Buffer>`${column}` })
    .from(table)
    .where(sql`${own} AND ${column} IS NOT NULL`)
  for (const value of values) {
    const context = sealedFor(name, value.owner)
    const left = LEFT[name](() => tx.encryption.unseal(value.sealed, context).toString())
    await tx.orm.execute(
      sql`UPDATE ${table} SET ${column} = ${tx.encryption.seal(left, context)} WHERE ${owner} = ${value.owner}`,
    )
  }
}

/** Removes search hashes, filter columns, sessions, the password and counters, and records the time of the erasure. */
async function eraseTraces(tx: Database, erased: Erased): Promise<void> {
  const { encryption, orm } = tx
  const { kyb } = erased
  const ids = identificationsOf(erased)
  const nowhere = { emailHash: null, nameHash: null, ...NO_FILTER_COLUMNS }
  await orm
    .update(identifications)
    // Shows that the erased entity waits on no party, because no party can act on it.
    .set({
      ...nowhere,
      personHash: null,
      waitingOn: 'nobody',
      pending: null,
      openHits: 0,
      confirmedHits: 0,
      updatedAt: sql`clock_timestamp()`,
      erasedAt: sql`clock_timestamp()`,
    })
    .where(eqAny(identifications.id, ids))
  await deleteNameParts(tx, entitiesOf(erased))
  await closePageSessions(tx, ids)
  const unusableHash = encryption.hash(crypto.randomUUID(), 'erased')
  if (kyb) {
    const own = eq(kybApplications.id, kyb.id)
    await orm
      .update(kybApplications)
      .set({ ...nowhere, registrationHash: null, passwordHash: unusableHash, openHits: 0, confirmedHits: 0 })
      .where(own)
  }
  const counted = entitiesOf(erased).map((entity) => sql`${counters.key} LIKE ${`%${entity}%`}`)
  await orm.delete(counters).where(or(...counted))
}

/** Returns the condition for all files, including withheld files and files that were detached earlier. */
function filesOf(erased: Erased): SQL | undefined {
  const ofPersons = eqAny(files.identificationId, identificationsOf(erased))
  return erased.kyb ? or(eq(files.kybApplicationId, erased.kyb.id), ofPersons) : ofPersons
}

/**
 * Removes attributes that can contain personal data from every log of the vault whose payload contains one of the IDs.
 * Returns the IDs of these logs.
 */
export async function erasePayloads(tx: Database, vaultId: string, ids: readonly string[]) {
  const logs = await tx.orm
    .select({ id: webhookLogs.id, payload: webhookLogs.payload })
    .from(webhookLogs)
    .where(sql`${webhookLogs.id} = ANY(ARRAY(${selectWithIds(vaultId, ids)}))`)
    .orderBy(webhookLogs.id)
    .for('update')
  for (const { id, payload } of logs) {
    await tx.orm
      .update(webhookLogs)
      .set({ payload: erasedPayload(payload), failReason: null, erased: true })
      .where(eq(webhookLogs.id, id))
  }
  return logs.map(({ id }) => id)
}
