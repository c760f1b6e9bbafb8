/** Serves pdf.js, which renders PDFs in the console, from its package under a versioned path. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'
import { createRouter } from '../../http/router.ts'
import { limitSilence } from '../../http/silence.ts'

const require = createRequire(import.meta.url)
const { version } = require('pdfjs-dist/package.json') as { version: string }
const PACKAGE = dirname(require.resolve('pdfjs-dist/package.json'))

export const PDFJS_PATH = `/console/pdfjs/${version}`

/** A policy that allows WebAssembly in the worker of pdf.js. The worker needs it to decode rare image formats. */
const WORKER_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; base-uri 'none'; form-action 'none'"

/** The legacy build also runs in browsers that are a few years old. */
const FOLDERS = ['legacy/build', 'cmaps', 'standard_fonts', 'wasm', 'iccs']

/** Serves the files. The content of a versioned path never changes, so browsers can cache it permanently. */
export function pdfjsFiles(): Router {
  const router = createRouter()
  for (const folder of FOLDERS)
    router.use(
      `/${folder}`,
      express.static(join(PACKAGE, folder), {
        index: false,
        redirect: false,
        cacheControl: false,
        setHeaders: (res) => {
          limitSilence(res)
          res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
          res.setHeader('Content-Security-Policy', WORKER_POLICY)
        },
      }),
    )
  return router
}
