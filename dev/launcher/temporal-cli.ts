/** Finds an installed `temporal` program, or else downloads it, or else builds it with Go. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { sizeOf } from '../files.ts'
import { buildWithGo, type Say } from '../go-build.ts'
import { acquireLock } from '../lock.ts'
import { CACHE_DIR } from '../settings.ts'
import { runChild } from './process.ts'

const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal'
const KEPT = join(CACHE_DIR, PROGRAM)
/** The folder of the `go.mod` that pins Temporal's programs. */
export const TEMPORAL_MODULES = fileURLToPath(new URL('../temporal-cli', import.meta.url))
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal'
/** The first server version in which update-with-start is generally available. */
const OLDEST_SERVER = [1, 28] as const
const MISSING = 'the program does not exist'
const REPORT_EVERY_MS = 10_000
const NO_PROGRESS_MS = 60_000

/** Returns the path of a working program. A downloaded or built one is kept for the next start. */
export async function findTemporalCli(say: Say, signal?: AbortSignal): Promise<string> {
  const { TEMPORAL_CLI } = process.env
  // Absolute, because the program runs in another folder.
  const given = TEMPORAL_CLI?.includes(sep) ? resolve(TEMPORAL_CLI) : TEMPORAL_CLI
  for (const candidate of [given, PROGRAM, KEPT]) {
    if (!candidate) continue
    const problem = await findProblem(candidate)
    if (problem === null) return candidate
    if (problem !== MISSING || candidate === given) {
      say(`Skipping ${candidate}, because ${problem}.`)
    }
  }
  return obtain(say, signal)
}

/** Downloads or builds the program in one launcher at a time. Other launchers on this machine wait. */
async function obtain(say: Say, signal?: AbortSignal): Promise<string> {
  mkdirSync(CACHE_DIR, { recursive: true })
  for (let hasReported = false; ; hasReported = true) {
    const lock = acquireLock(join(CACHE_DIR, 'temporal.lock'))
    if ('release' in lock) {
      try {
        if ((await findProblem(KEPT)) === null) return KEPT
        return await downloadOrBuild(say, signal)
      } finally {
        lock.release()
      }
    }
    if (!hasReported) say(`Waiting for process ${lock.heldBy}, which is installing the Temporal CLI ...`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    signal?.throwIfAborted()
  }
}

async function downloadOrBuild(say: Say, signal?: AbortSignal): Promise<string> {
  const problems: string[] = []
  for (const way of [download, build]) {
    const folder = mkdtempSync(join(CACHE_DIR, 'new-'))
    try {
      const program = await way(folder, say, signal)
      const problem = await findProblem(program)
      if (problem) throw new Error(problem)
      renameSync(program, KEPT)
      return KEPT
    } catch (error) {
      signal?.throwIfAborted()
      problems.push(`${way.name}: ${(error as Error).message}`)
      say(`The ${way.name} of the Temporal CLI failed. ${lastLine((error as Error).message)}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  throw new Error(
    `No Temporal CLI was found, and the download and the build failed. Install it on PATH, set its path in ` +
      `TEMPORAL_CLI, or set TEMPORAL_ADDRESS to the address of a Temporal server.\n${problems.join('\n')}`,
  )
}

async function download(folder: string, say: Say, signal?: AbortSignal): Promise<string> {
  say('Downloading the Temporal CLI (once, about 60 MB) ...')
  const downloaded = () => readdirSync(folder).reduce((sum, file) => sum + sizeOf(join(folder, file)), 0)
  const stalled = new AbortController()
  let size = 0
  let grownAt = performance.now()
  const report = setInterval(() => {
    if (downloaded() > size) grownAt = performance.now()
    else if (performance.now() - grownAt > NO_PROGRESS_MS) stalled.abort(new Error('nothing arrives'))
    size = downloaded()
    say(`  ${(size / 1e6).toFixed(0)} MB`)
  }, REPORT_EVERY_MS)
  try {
    await runChild(
      {
        name: 'download',
        command: process.execPath,
        args: [fileURLToPath(new URL('temporal-download.ts', import.meta.url)), folder],
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
      },
      AbortSignal.any([stalled.signal, ...(signal ? [signal] : [])]),
    )
  } finally {
    clearInterval(report)
  }
  return join(folder, readdirSync(folder)[0] as string)
}

async function build(folder: string, say: Say, signal?: AbortSignal): Promise<string> {
  const programs = { what: 'the Temporal CLI', moduleDir: TEMPORAL_MODULES, packages: { temporal: PACKAGE } }
  return join(await buildWithGo(programs, folder, say, signal), PROGRAM)
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''

/** Returns null if the program runs and its server is new enough, otherwise the reason. */
async function findProblem(program: string): Promise<string | null> {
  const asked = await execa(program, ['--version'], { timeout: 60_000, reject: false })
  if (asked.failed) {
    return ['ENOENT', 'ENOTDIR', 'EACCES'].includes(asked.code ?? '') ? MISSING : (asked.shortMessage ?? null)
  }
  const [, major, minor] = (/Server (\d+)\.(\d+)/.exec(asked.stdout) ?? []).map(Number)
  if (major === undefined || minor === undefined) {
    return `its output has no server version (${asked.stdout})`
  }
  const [oldestMajor, oldestMinor] = OLDEST_SERVER
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null
  return `its server has version ${major}.${minor}, but ${OLDEST_SERVER.join('.')} is required`
}
