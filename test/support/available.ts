/**
 * Skips tests whose requirements beyond Node.js and npm are missing. The names of skipped tests state the
 * reason.
 */
import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'

/** Returns the reason why a program cannot be used here, or null. */
export const missingProgram = (name: string, command: string, ...args: string[]): string | null =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? null : `${name} is not installed`

/** Skips the tests if `missing` names a reason. With CI=true, the tests fail instead. */
export function describeUnless(missing: string | null, name: string, tests: () => void): void {
  if (missing === null) {
    describe(name, tests)
  } else if (process.env.CI === 'true') {
    test(name, () => {
      throw new Error(`${missing}, and with CI=true no test is skipped.`)
    })
  } else {
    const skipped = `${name} (not run: ${missing})`
    // Vitest does not print the names of skipped tests.
    console.warn(skipped)
    describe.skip(skipped, tests)
  }
}
