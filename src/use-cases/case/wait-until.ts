/** Waits for a signal to take effect, so that the response usually shows the effect. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DEADLINE_MS } from '../../temporal/gateway.ts'

const PAUSE_MS = 40

/** Waits until the condition is true or the deadline has passed. `since` is a time of `performance.now()`. */
export async function waitUntil(isSo: () => Promise<boolean>, since: number): Promise<void> {
  const deadline = since + DEADLINE_MS
  while (!(await isSo()) && performance.now() < deadline) await sleep(PAUSE_MS)
}
