/** What a workflow was told that is no fact: an entry of the timeline, and nothing else. */

import { appendTimeline } from '../src/db/cases/timeline.ts'
import type { Database } from '../src/db/connection/database.ts'
import type { Entity, Ref } from '../src/domain/entity.ts'

export const malformedFacts =
  (db: Database, entity: Entity) =>
  async ({ id, vaultId, factId }: Ref & { factId: string }): Promise<void> => {
    await appendTimeline(db, {
      ...{ vaultId, entity, entityId: id },
      ...{ action: 'malformed_fact', actor: 'system', causeId: factId },
    })
  }
