/** Checks the expectations of the demo. A failed check ends the demo and prints the expected and the actual value. */
import { setTimeout as sleep } from 'node:timers/promises'
import { UserFacingError } from '../user-facing-error.ts'

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'

export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (shown(actual) === shown(expected)) return
  throw new UserFacingError(`${what}\nexpected: ${shown(expected)}\ncame:     ${shown(actual)}`)
}

/** Calls `look` until the result satisfies the condition or the time is up. Returns the last result. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  satisfies: (found: T) => boolean,
  { seconds, stopped }: { seconds: number; stopped: AbortSignal },
): Promise<T> {
  const deadline = performance.now() + seconds * 1_000
  for (;;) {
    const found = await look()
    if (satisfies(found) || performance.now() > deadline) return found
    await sleep(150, undefined, { signal: stopped })
  }
}
