/** An administrator's request, and its effect. */
import { v7 as newId } from 'uuid'
import type { Database } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { RequestEffect } from '../idempotency.ts'

export interface Administering {
  readonly by: By
  readonly effect: Pick<RequestEffect, 'id' | 'commit'>
}

/** For a form, which may name what it makes: nothing is kept of its answer, which is shown this once. */
export const administering = (db: Database, by: By, id: string = newId()): Administering => ({
  by,
  effect: { id, commit: async (work) => (await work(db)).answer },
})
