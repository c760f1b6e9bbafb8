/** Waiting for what a signal brings about, so that an answer shows it where it can. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DEADLINE_MS } from '../../temporal/gateway.ts'

const PAUSE_MS = 40

/** Returns when the question is answered with true, or at the deadline anyway; `since` is by `performance.now()`. */
export async function waitUntil(isSo: () => Promise<boolean>, since: number): Promise<void> {
  const deadline = since + DEADLINE_MS
  while (!(await isSo()) && performance.now() < deadline) await sleep(PAUSE_MS)
}
