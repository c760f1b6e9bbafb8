/** Helpers for tests of the options of webhook URLs. */
import { and, asc, eq, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { webhookLogs } from '../../drizzle/schema.ts'
import { addVault, eventually, type Instance } from './instance.ts'
import { publish, readLogs } from './webhook.ts'

/** Creates a vault whose tickets go to the URLs. */
export async function vaultWith(gatehouse: Instance, ...urls: string[]) {
  const vault = await addVault(gatehouse)
  const operator = await gatehouse.operator()
  const { status } = await vault.api.put('/users/update_webhook', { webhook_url: { ticket: urls } })
  expect(status).toBe(200)
  const { data } = (await vault.api.get('/webhook_urls')).body
  const idOf = (url: string) => data.find((each: { url: string }) => each.url === url).id as string
  return {
    ...vault,
    idOf,
    /** Changes the options of a URL, and returns the URL. */
    async change(url: string, body: object) {
      const answer = await vault.api.patch(`/webhook_urls/${idOf(url)}`, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body.data
    },
    publish: (count: number) => publish(operator, vault.vaultId, 'ticket', count),
    /** Returns the IDs of the vault's events, oldest first. */
    async eventIds(): Promise<string[]> {
      const rows = await gatehouse.db.orm
        .select({ id: sql<string>`(${webhookLogs.payload})::jsonb #>> '{data,attributes,event_id}'` })
        .from(webhookLogs)
        .where(and(eq(webhookLogs.vaultId, vault.vaultId), sql`part_of IS NULL`))
        .orderBy(asc(webhookLogs.id))
      return rows.map(({ id }) => id)
    },
  }
}

/** Waits until the logs have ended, and returns them. */
export const settledLogs = (gatehouse: Instance, ids: readonly string[]) =>
  eventually(async () => {
    const logs = await readLogs(gatehouse, ids)
    for (const { status } of logs) expect(['completed', 'partial', 'failed']).toContain(status)
    return logs
  })
