/** Writes events that the platform publishes: requests that arrive side by side share a statement and a commit. */
import type { Database } from '../db/database.ts'
import { findVault } from '../db/vault.ts'
import { insertWebhookLogRows, type NewWebhookLog } from '../db/webhook-outbox.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { Notifier } from './notifier.ts'

const MAX_WRITTEN_TOGETHER = 500

export interface Publisher {
  /** Gives for each event the log it left, if its topic has URLs; the workers are told of them. */
  publish(events: readonly NewWebhookLog[]): Promise<readonly (readonly string[])[]>
  isVault(id: string): Promise<boolean>
}

export function createPublisher({ db, notifier }: { db: Database; notifier: Notifier }): Publisher {
  /** Vaults are never deleted. */
  const vaults = new Set<string>()
  return {
    publish: createGroupCommit(
      async (requests: readonly (readonly NewWebhookLog[])[]) => {
        const logged = new Set(await insertWebhookLogRows(db, requests.flat()))
        notifier.tell([...logged])
        return requests.map((events) => logIdsOf(events, logged))
      },
      { max: MAX_WRITTEN_TOGETHER, weigh: (events) => events.length },
    ),
    async isVault(id) {
      if (!vaults.has(id) && (await findVault(db, id))) vaults.add(id)
      return vaults.has(id)
    },
  }
}

/** For each event the log it left, if it left one. */
export const logIdsOf = (
  events: readonly Pick<NewWebhookLog, 'id'>[],
  logged: ReadonlySet<string>,
): string[][] => events.map(({ id }) => (logged.has(id) ? [id] : []))
