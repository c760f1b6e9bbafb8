/** Builds programs with Go, at the versions that a `go.mod` pins, and keeps them for the next use. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { runChild } from './launcher/process.ts'
import { whileLocked } from './lock.ts'
import { CACHE_DIR } from './settings.ts'

export type Say = (line: string) => void

const REPORT_EVERY_MS = 10_000

export interface GoPrograms {
  /** The name for progress messages. */
  readonly what: string
  /** The folder of `go.mod`. */
  readonly moduleDir: string
  /** The packages to build, keyed by program name. */
  readonly packages: Readonly<Record<string, string>>
}

/** Returns the folder with the built programs. Builds them if necessary, in one process at a time. */
export async function findGoPrograms(programs: GoPrograms, name: string, say: Say): Promise<string> {
  mkdirSync(CACHE_DIR, { recursive: true })
  const kept = join(CACHE_DIR, name)
  if (existsSync(kept)) return kept
  await whileLocked(`${kept}.lock`, async () => {
    if (!existsSync(kept)) await buildInto(kept, programs, say)
  })
  return kept
}

async function buildInto(kept: string, programs: GoPrograms, say: Say): Promise<void> {
  const folder = mkdtempSync(join(CACHE_DIR, 'new-'))
  try {
    renameSync(await buildWithGo(programs, folder, say), kept)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds the programs into a subfolder of `folder`, and returns the path of the subfolder. */
export async function buildWithGo(
  { what, moduleDir, packages }: GoPrograms,
  folder: string,
  say: Say,
  signal?: AbortSignal,
): Promise<string> {
  const go = await findGo()
  if (go === null) throw new Error('Go is not installed')
  say(`Building ${what} with Go (once, about 3 minutes) ...`)
  const from = performance.now()
  let step = 'fetching modules'
  const seen = { modules: 0, packages: 0, all: 0 }
  const report = setInterval(() => {
    const done = step === 'compiling' ? `${seen.packages} of ${seen.all} packages` : `${seen.modules} modules`
    say(`  ${step}: ${done}, ${((performance.now() - from) / 1000).toFixed(0)} s`)
  }, REPORT_EVERY_MS)
  // Keeps the scratch files in the folder, so that they are removed with it.
  const env = { ...process.env, CGO_ENABLED: '0', GOTMPDIR: folder }
  const run = (args: string[], onLine: (line: string) => void) =>
    runChild({ name: 'go', command: go, args, cwd: moduleDir, env, onLine }, signal)
  const built = join(folder, 'built')
  try {
    await run(['list', '-deps', ...Object.values(packages)], (line) => {
      if (line.startsWith('go: downloading')) seen.modules += 1
      else seen.all += 1
    })
    step = 'compiling'
    const options = ['-v', '-trimpath', '-ldflags', '-s -w', '-o', `${built}/`]
    await run(['build', ...options, ...Object.values(packages)], () => {
      seen.packages += 1
    })
  } finally {
    clearInterval(report)
  }
  // Go names a program after the last part of its package's path.
  for (const [name, path] of Object.entries(packages)) {
    const builtName = path.slice(path.lastIndexOf('/') + 1)
    if (builtName !== name) renameSync(join(built, builtName), join(built, name))
  }
  say(`  built in ${((performance.now() - from) / 1000).toFixed(0)} s`)
  return built
}

export async function findGo(): Promise<string | null> {
  const places = ['go', '/usr/local/go/bin/go']
  const tried = await Promise.all(places.map((place) => execa(place, ['version'], { reject: false })))
  return places[tried.findIndex(({ failed }) => !failed)] ?? null
}
