/** Lists the versions with which Gatehouse works. docs/upgrades.md has the same table. */
import { SettingsError } from './settings-error.ts'

/** The lowest and the highest version that the tests cover. A lower one is refused, and a higher one works untested. */
export const SUPPORTED = {
  'Node.js': ['26', '26'],
  PostgreSQL: ['16', '18'],
  'Temporal server': ['1.31', '1.31'],
} as const
export type Component = keyof typeof SUPPORTED

/** An error that names the version in use, and the versions to install. */
export class UnsupportedVersion extends SettingsError {
  override readonly name = 'UnsupportedVersion'
}

export const supportedVersions = (component: Component): string =>
  [...new Set(SUPPORTED[component])].join(' to ')

/** Compares only the numbers that the bound has, so that 18.4 equals 18. */
function compare(version: string, bound: string): number {
  const given = version.split('.')
  const differences = bound.split('.').map((number, index) => Number(given[index] ?? 0) - Number(number))
  return differences.find((each) => each !== 0) ?? 0
}

/** Returns true if the version is tested. Throws UnsupportedVersion if it is too old. */
export function requireSupported(component: Component, version: string): boolean {
  const [lowest, highest] = SUPPORTED[component]
  const [number = '0'] = /\d+(\.\d+)*/.exec(version) ?? []
  if (compare(number, lowest) < 0)
    throw new UnsupportedVersion(
      `${component} ${number} is too old. Install version ${supportedVersions(component)}.`,
    )
  return compare(number, highest) <= 0
}
