/** Compares pages with committed pictures, or writes these if PICTURES is `write`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errors, type Page, type PageScreenshotOptions } from 'playwright-core'
import sharp, { type Sharp } from 'sharp'
import { expect } from 'vitest'
import { drawInInter } from '../../dev/browser.ts'

const FOLDER = new URL('../browser/pictures/', import.meta.url)
const isWriting = process.env.PICTURES === 'write'

/** Other browsers and systems draw text differently. */
const isComparable = process.platform === 'linux' && process.arch === 'x64'

/** Ignores rounded colours and the edges of letters. */
const THRESHOLD = 40
const TOLERATED_PIXELS = 24
const MAX_RESIZES = 10

/** Patterns of texts that differ in each run, in both languages, with their replacements. */
const FROZEN: readonly (readonly [pattern: string, replacement: string])[] = [
  ['\\d{1,2}\\s\\p{L}{3,9}\\s20\\d\\d', '2\u00a0December\u00a02026'],
  ['\\d{1,2}\\.\\s\\p{L}{3,9}\\.?\\s20\\d\\d', '2.\u00a0Dezember\u00a02026'],
  ['\\d{1,2}/\\d{1,2}/20\\d\\d', '02/12/2026'],
  ['\\d{1,2}\\.\\d{1,2}\\.20\\d\\d', '02.12.2026'],
  ['(?<!by )\\b\\p{L}+day \\d{1,2}\\s\\p{L}+', 'Wednesday 2\u00a0December'],
  ['(?<=by )\\p{L}+day \\d{1,2}\\s\\p{L}+', 'Friday 4\u00a0December'],
  // The durations that texts promise are the same in each run.
  ['(?<!valid for |About )\\b\\d+ minutes?\\b', '5 minutes'],
  ['\\d+ min\\b', '5 min'],
  ['\\d+ Min\\.', '5 Min.'],
  ['^\\d{1,2}\\s(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$', '{day}\u00a0Dec'],
  ['\\b[\\dA-F]{8}\\b', '01234567'],
  ['\\([\\da-f]{6}\\)', '(012345)'],
  ['operator-[\\da-f]{6}', 'operator-012345'],
  ['\\b\\d{1,2}:\\d\\d(:\\d\\d)?\\b', '12:00'],
  ['[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}', '01234567-89ab-7cde-8f01-23456789abcd'],
]

/**
 * Expects that the page looks as in `test/browser/pictures/<name>.png`. `hidden` selects parts that differ in
 * each run.
 */
export async function expectPicture(page: Page, name: string, hidden: readonly string[] = []): Promise<void> {
  if (!isComparable) return
  const restore = await freeze(page)
  const viewport = page.viewportSize()
  // Draws the page in its new size first, because closed parts keep their height until then.
  await draw(page, { clip: { x: 0, y: 0, width: 1, height: 1 } })
  // On a screen of the page's height, the dock has only one place. Photos grow with the screen, up to a limit.
  for (let round = 0, shown = 0; viewport && round < MAX_RESIZES; round++) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    if (height <= shown) break
    shown = Math.max(viewport.height, height)
    await page.setViewportSize({ ...viewport, height: shown })
  }
  const take = async () =>
    shrink(
      await draw(page, {
        animations: 'disabled',
        caret: 'hide',
        mask: hidden.map((selector) => page.locator(selector)),
        maskColor: '#888888',
      }),
    )
  const path = new URL(`${name}.png`, FOLDER)
  const expected = existsSync(path) ? readFileSync(path) : null
  let actual = await take()
  let result = await compare(expected, actual)
  // A busy browser shows parts that it has not painted yet as blank. Only two equal screenshots are complete.
  for (let last: Buffer | null = null; result.message !== null && !last?.equals(actual); ) {
    last = actual
    actual = await take()
    result = await compare(expected, actual)
  }
  if (viewport) await page.setViewportSize(viewport)
  await restore()
  if (result.message === null) return
  if (isWriting) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(path, actual)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pictures-'))
  writeFileSync(join(folder, `${name}.png`), actual)
  if (result.difference) await result.difference.toFile(join(folder, `${name}-difference.png`))
  expect.fail(`${name}.png: ${result.message}. See ${folder}`)
}

/** Takes a screenshot. Chromium sometimes loses the request for a frame, but draws one for a page in another size. */
async function draw(page: Page, options: PageScreenshotOptions): Promise<Buffer> {
  try {
    return await page.screenshot({ ...options, timeout: 15_000 })
  } catch (error) {
    const viewport = page.viewportSize()
    if (!(error instanceof errors.TimeoutError) || !viewport) throw error
    await page.setViewportSize({ ...viewport, height: viewport.height + 1 })
    await page.setViewportSize(viewport)
    return page.screenshot(options)
  }
}

/** Uses the same font on all machines, and the same texts in all runs. Returns the function that restores the texts. */
async function freeze(page: Page): Promise<() => Promise<void>> {
  await drawInInter(page)
  await page.evaluate((frozen) => {
    const patterns = frozen.map(([pattern, text]) => [new RegExp(pattern, 'gu'), text] as const)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const originals = new Map<Node, string | null>()
    let days = 0
    while (texts.nextNode()) {
      const node = texts.currentNode
      const now = patterns
        .reduce((text, [pattern, to]) => text.replaceAll(pattern, to), node.nodeValue ?? '')
        // The four days of the axis of a report.
        .replace('{day}', () => String(2 + 8 * (days++ % 4)))
      if (now === node.nodeValue) continue
      originals.set(node, node.nodeValue)
      node.nodeValue = now
    }
    Object.assign(globalThis, { originals })
  }, FROZEN)
  return () =>
    page.evaluate(() => {
      const { originals } = globalThis as unknown as { originals: Map<Node, string | null> }
      for (const [node, text] of originals) node.nodeValue = text
    })
}

/** Halves the picture and rounds its colours, so that its file is small. */
async function shrink(screenshot: Buffer): Promise<Buffer> {
  const { width } = await sharp(screenshot).metadata()
  const half = sharp(screenshot)
    .removeAlpha()
    .resize(Math.round(width / 2))
  const { data, info } = await half.raw().toBuffer({ resolveWithObject: true })
  const rounded = data.map((value) => Math.min(255, Math.round(value / 8) * 8))
  return sharp(rounded, { raw: info }).png({ palette: true, dither: 0, effort: 10 }).toBuffer()
}

/** Returns a message about the difference, or null if there is none, and a picture of the differences. */
async function compare(
  expected: Buffer | null,
  actual: Buffer,
): Promise<{ message: string | null; difference?: Sharp }> {
  if (!expected) return { message: 'the picture is missing. Write it with PICTURES=write' }
  const [before, after] = await Promise.all([expected, actual].map((png) => sharp(png).metadata()))
  if (before?.width !== after?.width || before?.height !== after?.height) {
    const sizes = [before, after].map((size) => `${size?.width} × ${size?.height}`)
    return { message: `the size changed from ${sizes.join(' to ')}` }
  }
  const difference = sharp(expected)
    .removeAlpha()
    .composite([{ input: await sharp(actual).removeAlpha().toBuffer(), blend: 'difference' }])
  const { data, info } = await difference.clone().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let at = 0; at < data.length; at += info.channels)
    if (Math.max(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0) > THRESHOLD) count++
  return { message: count > TOLERATED_PIXELS ? `${count} pixels differ` : null, difference: difference.png() }
}
