/** Tests that PostgreSQL plans the insert of webhook logs once per connection, because planning takes as long as it. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { insertWebhookLogs } from '../../src/db/webhooks/outbox.ts'
import { openDatabase } from '../support/database.ts'
import { sharedInstance } from '../support/instance.ts'
import { creationEvent } from '../support/webhook.ts'

const { config, db: shared, vaultId } = await sharedInstance()

/** PostgreSQL plans the first executions of a statement with their values. */
const PLANNED = 5

test.each([[[1]], [[2]], [[500]], [[1, 2, 20, 500]]])('batches of %j events keep one plan', async (sizes) => {
  const db = openDatabase(config.DATABASE_URL, shared.encryption, { connections: 1 })
  for (let n = 0; n < 2 * PLANNED; n++) {
    const events = Array.from({ length: sizes[n % sizes.length] ?? 1 }, () => creationEvent())
    await insertWebhookLogs(db, vaultId, events)
  }
  const plans = await db.orm.execute(sql`
    SELECT generic_plans::int AS kept, custom_plans::int AS planned FROM pg_prepared_statements
    WHERE statement LIKE '%INSERT INTO webhook_logs%' AND statement NOT LIKE '%pg_prepared_statements%'`)
  await db.end()
  expect(plans).toEqual([{ kept: PLANNED, planned: PLANNED }])
})
