/** Builds Temporal's programs with Go, at the versions pinned in `dev/temporal-cli`. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { runChild } from './process.ts'

export type Say = (line: string) => void

const MODULE_DIR = fileURLToPath(new URL('../temporal-cli', import.meta.url))
const REPORT_EVERY_MS = 10_000

/** Builds the packages into a folder in `folder`. Each program has the last part of its package's path as its name. */
export async function buildWithGo(
  what: string,
  packages: string[],
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
    runChild({ name: 'go', command: go, args, cwd: MODULE_DIR, env, onLine }, signal)
  const built = join(folder, 'built')
  try {
    await run(['list', '-deps', ...packages], (line) => {
      if (line.startsWith('go: downloading')) seen.modules += 1
      else seen.all += 1
    })
    step = 'compiling'
    await run(['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', `${built}/`, ...packages], () => {
      seen.packages += 1
    })
  } finally {
    clearInterval(report)
  }
  say(`  built in ${((performance.now() - from) / 1000).toFixed(0)} s`)
  return built
}

export async function findGo(): Promise<string | null> {
  const places = ['go', '/usr/local/go/bin/go']
  const tried = await Promise.all(places.map((place) => execa(place, ['version'], { reject: false })))
  return places[tried.findIndex(({ failed }) => !failed)] ?? null
}
