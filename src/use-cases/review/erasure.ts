/** Use cases for the permanent erasure of identifications with their applications, and for the list of due erasures. */
import { v7 as newId } from 'uuid'
import { getChecksForUpdate } from '../../db/cases/beneficiary.ts'
import { findDecidedIdentification, getIdentificationsForUpdate } from '../../db/cases/identification.ts'
import { requestResync } from '../../db/commands/command.ts'
import { insertFact } from '../../db/commands/pending-fact.ts'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { erasePayloads, eraseRows, withdrawCommands } from '../../db/removal/erasure.ts'
import { findRetained, listDue } from '../../db/removal/retention.ts'
import { saveIdentification } from '../../db/save/identification.ts'
import { insertWebhookLogs } from '../../db/webhooks/outbox.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import type { Page } from '../../domain/base/page.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'
import type { DecidedIdentification } from '../../domain/identification/record.ts'
import { transitionIdentification } from '../../domain/identification/transition.ts'
import { companyClosed } from '../../domain/kyb/application.ts'
import {
  type DueErasure,
  type DueFilter,
  type Retained,
  type RetentionBlocker,
  type RetentionPeriods,
  retentionBlocker,
} from '../../domain/review/retention.ts'
import type { Config } from '../../process/config.ts'
import { listVaultNames } from '../access/names.ts'
import { canSendEmails } from '../access/vaults.ts'
import type { Deps } from '../base/deps.ts'

export const retentionPeriods = (
  config: Pick<Config, 'RETENTION_YEARS' | 'UNFINISHED_RETENTION_DAYS' | 'SMTP_URL'>,
): RetentionPeriods => ({
  years: config.RETENTION_YEARS,
  unfinishedDays: config.UNFINISHED_RETENTION_DAYS,
  sendsEmails: canSendEmails(config),
})

/** Lists the identifications that are due for erasure, starting with the longest due, and what keeps each of them. */
export async function listDueErasures(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  operator: Granted,
  { vaultId, ...filter }: Omit<DueFilter, 'scope'> & { readonly vaultId?: string | undefined },
  page: Page,
) {
  const periods = retentionPeriods(config)
  const scope = vaultsFor(operator, 'read_settings', vaultId)
  const due = await listDue(db, periods, { ...filter, scope }, page)
  const entries: (DueErasure & { readonly keptBy: RetentionBlocker['code'] | null })[] = []
  // One after the other, so that a page takes only one connection.
  for (const erasure of due.entries) {
    const blocker = retentionBlocker(await findRetained(db, erasure.id, periods))
    entries.push({ ...erasure, keptBy: blocker?.code ?? null })
  }
  return {
    entries,
    totalCount: due.totalCount,
    vaults: await listVaultNames({ db }, vaultsFor(operator, 'read_settings')),
  }
}

export type Erasure = { readonly kept: RetentionBlocker } | { readonly detachedFiles: readonly string[] }

/**
 * Erases personal data. IDs, statuses, codes, amounts, times and the fact of the erasure remain. The caller must remove
 * the blobs after the commit. Housekeeping removes any blobs that are left.
 */
export async function eraseIdentification(
  db: Database,
  id: string,
  periods: RetentionPeriods,
): Promise<Erasure> {
  return transaction(db, async (tx): Promise<Erasure> => {
    const found = await findRetained(tx, id, periods)
    const reason = retentionBlocker(found)
    if (!found || reason !== null) return { kept: reason ?? { code: 'not_found' } }
    // Locks the commands before the entity, in the same order as the transactions that apply them.
    await withdrawCommands(tx, found)
    // For the same reason, locks the rows of beneficiaries before the rows of their verifications.
    const people = found.kyb ? await getChecksForUpdate(tx, found.kyb.id) : []
    // Until the commit, these locks delay inserts of cases, notes, accounts and sessions that refer to the rows. Files
    // cannot be attached during the erasure.
    await getIdentificationsForUpdate(tx, [id, ...people])
    const locked = await findDecidedIdentification(tx, found.vaultId, id)
    const retained = await findRetained(tx, id, periods)
    const kept = retentionBlocker(retained)
    if (!locked || !retained || kept !== null) throw new Kept(kept ?? { code: 'not_found' })
    const { kyb, beneficiaryIds } = retained
    const accountIds = locked.accounts.map((account) => account.id)
    const ids = [id, ...beneficiaryIds, ...(kyb ? [kyb.id] : []), ...accountIds]
    const events = retained.silentUntil ? await closeUnfinished(tx, locked) : []
    const detachedFiles = await eraseRows(tx, retained, await erasePayloads(tx, retained.vaultId, ids))
    await insertWebhookLogs(tx, retained.vaultId, events)
    await recordErasure(tx, { ...retained, status: events.length > 0 ? 'closed' : retained.status })
    return { detachedFiles }
  }).catch((error: unknown) => {
    if (error instanceof Kept) return { kept: error.blocker }
    throw error
  })
}

/** Thrown to roll the transaction back if the data must be retained. This is certain only under the lock. */
class Kept extends Error {
  readonly blocker: RetentionBlocker
  constructor(blocker: RetentionBlocker) {
    super(blocker.code)
    this.blocker = blocker
  }
}

/**
 * Closes an unfinished identification, so that neither it nor its application can be continued. Returns the events.
 * Housekeeping makes the workflow read the new state, and sends the fact to the workflow of the application.
 */
async function closeUnfinished(tx: Database, before: DecidedIdentification) {
  const { id, vaultId, kybId } = before
  const context = { now: new Date(), newId, actor: 'system' }
  const result = transitionIdentification(before, { kind: 'close' }, context)
  if ('problems' in result) throw new Kept({ code: 'not_concluded' })
  const { record, events } = result
  await saveIdentification(tx, before, record)
  const [from, to] = [identificationStatus(before.state), identificationStatus(record.state)]
  const target = { entity: 'identification', id, vaultId } as const
  await appendTimeline(tx, target, { action: 'close', actor: 'system', causeId: 'unfinished', from, to })
  if (kybId) await insertFact(tx, id, { entity: 'kyb', id: kybId, vaultId }, companyClosed(id))
  await requestResync(tx, target)
  return events
}

async function recordErasure(tx: Database, { id, vaultId, status, kyb }: Retained): Promise<void> {
  const entry = { action: 'erased', actor: 'system', causeId: 'erased' }
  const target = { entity: 'identification', id, vaultId } as const
  await appendTimeline(tx, target, { ...entry, from: status, to: status })
  if (!kyb) return
  const company = { entity: 'kyb', id: kyb.id, vaultId } as const
  await appendTimeline(tx, company, { ...entry, from: kyb.status, to: kyb.status })
}
