/** Writes events that the platform publishes: requests that arrive side by side share a statement and a commit. */

import { findVault } from '../db/access/vault.ts'
import type { Database } from '../db/connection/database.ts'
import { type NewEvent, type PublishOutcome, publishEvents } from '../db/webhooks/published-event.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Notifier } from './notifier.ts'

const MAX_WRITTEN_TOGETHER = 500

export interface Publisher {
  /** The workers are told of what was written. */
  publish(events: readonly NewEvent[]): Promise<PublishOutcome>
  isVault(id: string): Promise<boolean>
}

export function createPublisher({ db, notifier }: { db: Database; notifier: Notifier }): Publisher {
  /** Vaults are never deleted. */
  const vaults = new Set<string>()
  return {
    publish: createGroupCommit(
      async (requests: readonly (readonly NewEvent[])[]) => {
        const notifies = notifier.mayTell()
        const { outcomes, written } = await publishEvents(db, requests, { notifies })
        if (!notifies) notifier.tell(written)
        return outcomes
      },
      { max: MAX_WRITTEN_TOGETHER, weigh: (events) => events.length },
    ),
    async isVault(id) {
      if (!vaults.has(id) && (await findVault(db, id))) vaults.add(id)
      return vaults.has(id)
    },
  }
}
