/** What every page loads: the style and the scripts, under the version of all of them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Router } from 'express'

const FOLDER = new URL('./', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, FOLDER))

/** In this order: a rule yields to a later one of the same weight. */
const STYLES = ['base', 'components', 'applicant', 'console', 'case', 'figures']
const SCRIPTS = readdirSync(new URL('scripts/', FOLDER)).map((name) => `scripts/${name}`)

const FILES = [
  { name: 'style.css', bytes: Buffer.concat(STYLES.map((name) => read(`styles/${name}.css`))) },
  ...SCRIPTS.map((name) => ({ name, bytes: read(name) })),
]

const hash = createHash('sha256')
for (const { name, bytes } of FILES) hash.update(name).update(bytes)
const VERSION = hash.digest('hex').slice(0, 16)

const ASSETS_PATH = '/verify/assets'
/** Modules import one another by addresses beside theirs, so that those of one page are of one version. */
export const assetPath = (name: string): string => `${ASSETS_PATH}/${VERSION}/${name}`

/**
 * What is there under its version never changes, so browsers keep it. Under another, which a page of another version
 * names while processes of both answer, it is what is here, and nobody keeps that.
 */
export function assetFiles(): Router {
  const router = Router()
  for (const { name, bytes } of FILES)
    router.get(`${ASSETS_PATH}/:version/${name}`, ({ params }, res) => {
      const caching = params.version === VERSION ? 'public, max-age=31536000, immutable' : 'no-store'
      res.setHeader('Cache-Control', caching)
      res.type(extname(name)).send(bytes)
    })
  return router
}
