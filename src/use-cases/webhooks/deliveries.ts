/** Use cases for webhook deliveries about a case, which operators read and retry. */
import { v7 as newId } from 'uuid'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import { isDeliveryAbout, listDeliveries as listAbout } from '../../db/webhooks/delivery.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import type { Deps } from '../base/deps.ts'
import { findTarget } from '../case/entity-ref.ts'
import { recordCaseRead } from '../case/reading-record.ts'
import { retryLog, retryWebhookLog } from './logs.ts'

/** Lists deliveries with their attempts, newest first, and records the read of the case. Throws `not_found`. */
export async function listDeliveries(
  deps: Pick<Deps, 'db' | 'spend'>,
  operator: Granted,
  by: By,
  { entity, id }: EntityKey,
  page: Page,
) {
  const target = await findTarget(deps, operator, 'read_cases', entity, id)
  await recordCaseRead(deps, by, target)
  return listAbout(deps.db, target, page)
}

interface Retry {
  readonly deliveryId: string
  readonly onlyFailed: boolean
  /** The round that the operator saw on a page, which can be sent twice. */
  readonly round?: number
}

/** Retries a delivery and records who retried it. Throws RequestRefused with the problem. */
export async function retryDelivery(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  actor: string,
  target: EntityRef,
  { deliveryId, onlyFailed, round }: Retry,
): Promise<void> {
  if (!(await isDeliveryAbout(db, target, deliveryId))) throw new RequestRefused({ code: 'not_found' })
  await transaction(db, async (tx) => {
    const log = await retryLog(tx, target.vaultId, deliveryId, onlyFailed)
    // A form that was submitted twice, or after another operator's retry, must not send the delivery twice.
    if (round !== undefined && log.round !== round + 1)
      throw new RequestRefused({ code: 'delivery_in_progress' })
    await appendTimeline(tx, target, { action: 'delivery_retried', actor, causeId: newId() })
  })
  notifier.notify([deliveryId])
}

retryDelivery.refuses = retryWebhookLog.refuses
