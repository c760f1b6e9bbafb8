/** Reads the commands of a page in `docs`, so that tests run what the page says. */
import { readFileSync } from 'node:fs'

export interface Block {
  readonly language: string
  readonly code: string
  /** The text between the previous block and this one. */
  readonly before: string
}

/** Returns the code blocks below a heading of any level, up to the next heading of the same or a higher level. */
export function blocksIn(page: string, heading: string): Block[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const blocks = blocksBelow(text, heading)
  if (!blocks) throw new Error(`${page} has no heading ${heading}`)
  return blocks
}

const CODE = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm

/** Returns the blocks of a text, or null if it lacks the heading. A line of code that starts with `# ` is no heading. */
export function blocksBelow(text: string, heading: string): Block[] | null {
  const prose = text.replaceAll(CODE, (code) => ' '.repeat(code.length))
  const start = new RegExp(`^(#+) ${heading}$`, 'm').exec(prose)
  if (!start) return null
  const from = start.index + start[0].length
  const length = prose.slice(from).search(new RegExp(`^#{1,${start[1]?.length}} `, 'm'))
  const parts = text.slice(from, length < 0 ? undefined : from + length).split(CODE)
  const blocks: Block[] = []
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [before = '', language = '', code = ''] = parts.slice(i, i + 3)
    blocks.push({ before, language, code })
  }
  return blocks
}

/** Replaces each `<placeholder>`. Throws if the page has one that is not in `values`. */
export const filled = (code: string, values: Readonly<Record<string, string>>): string =>
  code.replaceAll(/<([a-z][^<>\n]*)>/gi, (_all, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`<${name}> is not known`)
    return value
  })
