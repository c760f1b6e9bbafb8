/** Finds wording that this project avoids in documentation, page texts, messages, comments and test names. */
import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)

/** Expressions that read like a translation or hide the actor. */
const PATTERNS = {
  'what-clause': /(?:^|[.;:!|] )\*{0,2}What (?!if|to)(?![^.|]*\?)/,
  'what-mid':
    /\bwhat (?:is|was|were|has|had) (?:\w+ )?(?:\w+ed|read|done|told|shown|left|kept|found|there|due|wrong|missing|sent|said|given)\b/,
  'who-clause':
    /(?:^|[.;:!|] )\*{0,2}Who(?:ever|m|se)? (?![^.|]*\?)|\bwhoever\b|\b(?:to|of|for|by|from|with|than) who\b/,
  'fronted-of': /(?:^|[.;:!|] )Of (?!course)/,
  alone: /(?<!\b(?:leav\w+|left|let|stands?|not) )\balone\b/i,
  'old-words':
    /\bmend(?:s|ed|ing)?\b|\bin hand\b|\bunder way\b|\blikewise\b|\banew\b|\bafresh\b|\b(?:of|from) before\b/i,
  tell: /\btells? (?:of|apart|that|what|how|which|whether|it)\b|\b(?:is|are|was|were|be|been) told\b/i,
  'go-on': /\b(?:go|goes|going|went|gone) on\b|\b(?:is|are|was|were) over\b(?! \d| an? | the )/i,
  'any-more': /\bany more\b|\b(?:good|is|are|was) no more\b/i,
  'away-there': /\b(?:is|are|was|were) away\b|\b(?:what|that|who|which) (?:is|was|are|were) there\b/i,
  anybody: /\b(?:some|no|every|any)body\b/i,
  'hold-up': /\bkeeps? (?:no other|nobody)\b|\bh(?:old|olds|olding|eld) up\b/i,
  'so-many': /\bso (?:many|long|much)\b(?! as| that)/i,
  'asked-for': /\basked (?:for|of|about)\b/i,
  gives: /(?:^|[.;,] )[Gg]ives (?!way)|\banswers (?:an?|the|`)/,
  beside: /\bbesides?\b/i,
} as const

/** A second clause after a colon. Page texts and messages split it into two sentences. */
const SPLICE = /[a-z)}”’`]: [a-z]/

const MAX_WORDS = 25

interface Passage {
  readonly file: string
  readonly line: number
  readonly text: string
}

export interface Match extends Passage {
  readonly pattern: string
}

/** Returns the files with one of these extensions in a folder and those below it, or the file itself. */
export function filesIn(path: string, extensions: readonly string[]): string[] {
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(new URL(`${path}/`, ROOT), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return filesIn(`${path}/${entry.name}`, extensions)
    return extensions.some((each) => entry.name.endsWith(each)) ? [`${path}/${entry.name}`] : []
  })
}

export const readSource = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Returns the paragraphs, list items and table rows of Markdown, without code blocks. */
export function paragraphsOf(file: string): Passage[] {
  const text = readSource(file).replace(/^(```|~~~)[\s\S]*?^\1/gm, (block) => block.replace(/[^\n]/g, ''))
  const passages: Passage[] = []
  const texts: string[] = []
  const finish = (line: number) => {
    if (texts.length > 0) passages.push({ file, line: line - texts.length + 1, text: texts.join(' ') })
    texts.length = 0
  }
  for (const [index, line] of text.split('\n').entries()) {
    const starts = /^\s*(?:[-*]|\d+\.|#+) |^\|/.test(line) || texts[0]?.startsWith('|')
    if (starts || line.trim() === '') finish(index)
    if (line.trim() !== '') texts.push(line.replace(/^\s*(?:[-*]|\d+\.|#+) /, '').trim())
  }
  finish(text.split('\n').length)
  return passages
}

/** Matches comments and strings in one expression, because each can contain the marks of the other. */
const TOKENS =
  /\/\*[\s\S]*?\*\/|(?<![:\\/'"`])\/\/(?!\/).*(?:\n[ \t]*\/\/.*)*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

const tokensOf = (file: string) => {
  const source = readSource(file)
  let [line, counted] = [1, 0]
  return [...source.matchAll(TOKENS)].map(({ 0: text, index }) => {
    line += source.slice(counted, index).split('\n').length - 1
    counted = index
    return {
      file,
      line,
      text,
      isComment: text.startsWith('/'),
      isArgument: source.slice(0, index).trimEnd().endsWith('('),
    }
  })
}

export const commentsOf = (file: string): Passage[] =>
  tokensOf(file)
    .filter(({ isComment }) => isComment)
    .map((token) => ({
      ...token,
      text: inOneLine(token.text.replace(/^\/\*+|\*+\/$/g, '').replace(/^\s*(?:\*|\/\/)/gm, '')),
    }))

/** Returns the strings of more than one word. */
export const stringsOf = (file: string): Passage[] =>
  tokensOf(file)
    .filter(({ isComment, text }) => !isComment && text.includes(' '))
    .map((token) => ({ ...token, text: inOneLine(token.text.slice(1, -1)) }))

/** Returns the names of tests and groups, and other strings that a function has as its first argument. */
export const testNamesOf = (file: string): Passage[] =>
  tokensOf(file)
    .filter(({ isComment, isArgument, text }) => !isComment && isArgument && text.includes(' '))
    .map((token) => ({ ...token, text: inOneLine(token.text.slice(1, -1)) }))

/** Returns the matches of all patterns. In page texts and messages (`isMessage`), a colon must not join two clauses. */
export function matchesIn(passages: readonly Passage[], isMessage = false): Match[] {
  const patterns = Object.entries(isMessage ? { ...PATTERNS, splice: SPLICE } : PATTERNS)
  return passages.flatMap((passage) => {
    const text = passage.text.replace(/^\{label\}: /, '').replace(/`[^`]*`/g, '`code`')
    return patterns.flatMap(([pattern, expression]) =>
      expression.test(text) ? [{ ...passage, pattern }] : [],
    )
  })
}

/** Returns the passages with a sentence of more than 25 words. Table rows do not count as sentences. */
export const longSentences = (passages: readonly Passage[]): Passage[] =>
  passages.filter(
    ({ text }) =>
      !text.startsWith('|') &&
      text.split(/(?<=[.!?:;])\s/).some((each) => each.split(/\s+/).length > MAX_WORDS),
  )
