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
  const start = new RegExp(`^(#+) ${heading}$`, 'm').exec(text)
  if (!start) throw new Error(`${page} has no heading ${heading}`)
  const rest = text.slice(start.index + start[0].length)
  const [section = ''] = rest.split(new RegExp(`^#{1,${start[1]?.length}} `, 'm'))
  const parts = section.split(/^ *```(\w*)\n([\s\S]*?)^ *```$/m)
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
