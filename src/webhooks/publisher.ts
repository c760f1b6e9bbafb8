/** Writes the events that the platform publishes. Concurrent requests share a statement and a commit. */
import { findVault } from '../db/access/vault.ts'
import type { Database } from '../db/connection/database.ts'
import { type NewEvent, type PublishOutcome, publishEvents } from '../db/webhooks/published-event.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Notifier } from './notifier.ts'

const MAX_PER_WRITE = 500

export interface Publisher {
  /** Writes the events of one request, and notifies the workers. */
  publish(events: readonly NewEvent[]): Promise<PublishOutcome>
  isVault(id: string): Promise<boolean>
}

export function createPublisher({ db, notifier }: { db: Database; notifier: Notifier }): Publisher {
  /** The vaults that exist. They are cached permanently, because vaults are never deleted. */
  const vaults = new Set<string>()
  return {
    publish: createGroupCommit(
      async (requests: readonly (readonly NewEvent[])[]) => {
        const { outcomes } = await notifier.notifyWith((news) => publishEvents(db, requests, { news }))
        return outcomes
      },
      { max: MAX_PER_WRITE, weigh: (events) => events.length },
    ),
    async isVault(id) {
      if (!vaults.has(id) && (await findVault(db, id))) vaults.add(id)
      return vaults.has(id)
    },
  }
}
