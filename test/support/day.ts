/** Keeps tests that compare rows or pages with the current day away from midnight in UTC. */
import { setTimeout as sleep } from 'node:timers/promises'

const DAY_MS = 86_400_000
const BEFORE_MS = 120_000
const AFTER_MS = 10_000

/** Waits until the day is at least ten seconds old, and has at least two minutes left. */
export async function awayFromMidnight(now = Date.now()): Promise<void> {
  const passed = (now + BEFORE_MS) % DAY_MS
  if (passed < BEFORE_MS + AFTER_MS) await sleep(BEFORE_MS + AFTER_MS - passed)
}
