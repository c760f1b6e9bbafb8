/** Serves the style sheets and scripts of all pages under one common version. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { Router } from 'express'
import { createRouter } from '../../http/router.ts'

const FOLDER = new URL('../', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')

/** The parts of each style sheet. The layers that `tokens` declares determine which rule overrides another. */
const STYLES = {
  base: ['tokens', 'base', 'components'],
  hosted: ['fields', 'picker', 'parts', 'outcome', 'hosted'],
  entry: ['entry', 'private'],
  company: ['company', 'overview', 'private', 'revision'],
  owners: ['company', 'owners', 'empty'],
  person: ['person', 'revision'],
  console: ['workspace', 'empty', 'console'],
  queue: ['parts', 'lists', 'filters', 'queue', 'cases'],
  case: ['case', 'decision', 'screening'],
  settings: ['picker', 'parts', 'lists', 'branding', 'settings'],
  users: ['parts', 'lists', 'filters', 'queue', 'settings'],
  profile: ['picker', 'parts', 'lists', 'filters', 'settings', 'profile'],
  figures: ['parts', 'lists', 'figures'],
  client: ['parts', 'lists', 'filters', 'queue', 'webhook', 'client'],
  webhooks: ['parts', 'lists', 'filters', 'settings', 'webhook'],
} as const
type StyleSheet = keyof typeof STYLES

export type Look = 'hosted' | 'console'

/** The areas that have a separate style sheet. Hosted patterns also match previews below the path of a console case. */
export const AREAS: Readonly<Record<Look, readonly (readonly [RegExp, StyleSheet])[]>> = {
  hosted: [
    [/\/kyb\/[^/]+\/(beneficiaries|owners)/, 'owners'],
    [/\/kyb\//, 'company'],
    [/\/(person|identifications)\//, 'person'],
    [/^/, 'entry'],
  ],
  console: [
    [/^\/console\/client\b/, 'client'],
    [/^\/console(\/(cases|search))?\/?$/, 'queue'],
    [/\/(kyb|identifications|screening_hits)\//, 'case'],
    [/\/settings\/vaults\/[^/]+\/profile/, 'profile'],
    [/\/settings\/vaults\/[^/]+\/webhooks/, 'webhooks'],
    [/\/settings\/users\/?$/, 'users'],
    [/\/(settings|password|codes|single_sign_on)/, 'settings'],
    [/\/figures/, 'figures'],
  ],
}

export function sheetsOf(look: Look, path: string): StyleSheet[] {
  const [, area] = AREAS[look].find(([place]) => place.test(path)) ?? []
  return ['base', look, ...(area ? [area] : [])]
}

const SCRIPTS = readdirSync(new URL('scripts/', FOLDER)).map((name) => `scripts/${name}`)

/**
 * The flags by country. Loaded as CommonJS, because the ES module consists of one file per flag, and for each, Node.js
 * parses the package's complete package.json, which has 116 kB.
 */
export const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>(createRequire(import.meta.url)('country-flag-icons/string/3x2')),
)

/** Removes comments and indentation. Only `//` at the start of a line is a comment, as texts contain it. */
function compact(text: string): Buffer {
  const code = text.replaceAll(/\/\*.*?\*\/ ?/gs, '').replaceAll(/^\s*\/\/.*$/gm, '')
  return Buffer.from(code.replaceAll(/\n\s*/g, '\n'))
}

/** Compacts a style sheet, and also removes spaces, zeros and quotes that browsers do not need. */
function compactStyles(text: string): Buffer {
  const code = compact(text).toString()
  return Buffer.from(
    code
      .replaceAll(/^([\w-]+): /gm, '$1:')
      .replaceAll(/^.*[{,]$/gm, (selector) => selector.replaceAll(/ ?([>~+,]) /g, '$1'))
      .replaceAll(/(?<![\w.])0\.(?=\d)/g, '.')
      .replaceAll(/="([a-z][\w-]*)"\]/g, '=$1]')
      .replaceAll(/;?\n}/g, '}')
      .replaceAll(/ ?([{};,])\n/g, '$1')
      .replaceAll(/#(\w)\1(\w)\2(\w)\3\b/g, '#$1$2$3')
      // Texts in quotes keep their spaces.
      .replaceAll(/(?<!")([,:]) (?!")/g, '$1'),
  )
}

const FILES = [
  ...Object.entries(STYLES).map(([name, parts]) => ({
    name: `${name}.css`,
    bytes: compactStyles(parts.map((part) => read(`styles/${part}.css`)).join('')),
  })),
  ...SCRIPTS.map((name) => ({ name, bytes: compact(read(name)) })),
]

const hash = createHash('sha256')
for (const { name, bytes } of FILES) hash.update(name).update(bytes)
const VERSION = hash.digest('hex').slice(0, 16)

const CACHED = 'public, max-age=31536000, immutable'
const ASSETS_PATH = '/verify/assets'
/** Returns a versioned path. Modules use relative imports, so a page loads all modules in the same version. */
export const assetPath = (name: string): string => `${ASSETS_PATH}/${VERSION}/${name}`

export const flagPath = (country: string): string => assetPath(`flags/${country}.svg`)

/** Serves the files. Only this version may be cached. An upgrade can bring requests for another one. */
export function assetFiles(): Router {
  const router = createRouter()
  router.get(`${ASSETS_PATH}/:version/flags/:name.svg`, ({ params }, res, next) => {
    const flag = FLAGS.get(params.name)
    if (flag === undefined) return next()
    res.setHeader('Cache-Control', CACHED).type('svg').send(flag)
  })
  for (const { name, bytes } of FILES)
    router.get(`${ASSETS_PATH}/:version/${name}`, ({ params }, res) => {
      const caching = params.version === VERSION ? CACHED : 'no-store'
      res.setHeader('Cache-Control', caching)
      res.type(extname(name)).send(bytes)
    })
  return router
}
