/** What tests need of a machine beyond Node.js and npm. Where it is missing, their names say that they were not run. */
import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'

/** Why a program cannot be used here; null when it can. */
export const missingProgram = (name: string, command: string, ...args: string[]): string | null =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? null : `${name} is not installed`

/** `missing`: why these tests cannot be run here, or null. With CI=true nothing is left out: they fail. */
export function describeUnless(missing: string | null, name: string, tests: () => void): void {
  if (missing === null) {
    describe(name, tests)
  } else if (process.env.CI === 'true') {
    test(name, () => {
      throw new Error(`${missing}, and with CI=true no test is left out.`)
    })
  } else {
    const told = `${name} (not run: ${missing})`
    // Names of tests that were left out are not among what Vitest prints.
    console.warn(told)
    describe.skip(told, tests)
  }
}
