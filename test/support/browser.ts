/** A real browser for tests: the Chromium among the development dependencies, or one that this machine has. */
import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

/** Why no browser can be started here; null when one can. */
export async function missingBrowser(): Promise<string | null> {
  try {
    await sharedBrowser()
    return null
  } catch (error) {
    return `no browser starts: ${(error as Error).message}`
  }
}

let shared: Promise<Browser> | undefined

/** Returns the one browser of the process, which ends with it. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser()
  return shared
}

async function startBrowser(): Promise<Browser> {
  const reasons: string[] = []
  for (const options of await candidates()) {
    try {
      return await chromium.launch(options)
    } catch (error) {
      reasons.push(reasonOf(error as Error))
    }
  }
  throw new Error(reasons.join(', '))
}

/** What lacks is told in one line amid many. */
const reasonOf = ({ message }: Error): string =>
  /lib\S+: cannot open shared object file/.exec(message)?.[0] ?? message.split('\n', 1)[0] ?? ''

/** The packaged Chromium is for Linux on x64 alone. */
async function candidates(): Promise<LaunchOptions[]> {
  const isPackaged = process.platform === 'linux' && process.arch === 'x64'
  return [...(isPackaged ? [{ executablePath: await unpacked() }] : []), { channel: 'chrome' }]
}

/** Into the package's own folder; by ourselves, since the package takes what another process has not finished yet. */
async function unpacked(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const program = join(dirname(main), '../../bin/chromium')
  if (existsSync(program)) return program
  const unfinished = `${program}-${process.pid}`
  await pipeline(
    createReadStream(`${program}.br`),
    createBrotliDecompress(),
    createWriteStream(unfinished, { mode: 0o755 }),
  )
  renameSync(unfinished, program)
  return program
}
