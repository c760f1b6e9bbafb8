/** Sends the requests of delivery benchmarks, sets the URLs of a vault, and waits for its events. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { ask } from './process.ts'
import type { Received } from './receiver.ts'

/** Sends JSON and returns the JSON of the response. Throws if the request fails. */
export async function send<T>(method: string, url: string, token: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: token }) },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${url} was answered with ${answer.status}`)
  return (await answer.json()) as T
}

export const urlOf = (port: number): string => `http://127.0.0.1:${port}/`

/** Sets the URLs of the vault's topic. */
export async function deliverTo(
  database: postgres.Sql,
  vaultId: string,
  ports: readonly number[],
): Promise<void> {
  const urlList = database.json({ ticket: ports.map(urlOf) })
  await database`UPDATE webhook_settings SET url_list = ${urlList} WHERE vault_id = ${vaultId}`
}

/** Waits until the healthy receivers have all events, or `patienceMs` have passed. */
export async function waitForEvents(
  receiver: ChildProcess,
  wanted: number,
  healthy: readonly number[],
  patienceMs: number,
): Promise<Received & { readonly got: number }> {
  const until = Date.now() + patienceMs
  for (;;) {
    const received = await ask<Received>(receiver, 'counts')
    const got = healthy.reduce((total, i) => total + (received.counts[i] ?? 0), 0)
    if (got >= wanted || Date.now() > until) return { ...received, got }
    await sleep(20)
  }
}
