/** pdf.js, by which the console draws PDFs: served from the package, under its version. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express, { Router } from 'express'

const require = createRequire(import.meta.url)
const { version } = require('pdfjs-dist/package.json') as { version: string }
const PACKAGE = dirname(require.resolve('pdfjs-dist/package.json'))

export const PDFJS_PATH = `/console/pdfjs/${version}`

/** What decodes rare pictures is WebAssembly: the worker alone may run it, and nothing but what is here. */
const WORKER_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; base-uri 'none'; form-action 'none'"

const FOLDERS = ['build', 'cmaps', 'standard_fonts', 'wasm', 'iccs']

/** What is there under its version never changes, so browsers keep it. */
export function pdfjsFiles(): Router {
  const router = Router()
  for (const folder of FOLDERS)
    router.use(
      `/${folder}`,
      express.static(join(PACKAGE, folder), {
        index: false,
        redirect: false,
        cacheControl: false,
        setHeaders: (res) => {
          res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
          res.setHeader('Content-Security-Policy', WORKER_POLICY)
        },
      }),
    )
  return router
}
