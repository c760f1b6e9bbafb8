/** Serves the gallery at `/hosted` and `/console`, in the look of the hosted pages and of the console. */
import { readFileSync } from 'node:fs'
import type { Express } from 'express'
import { createExpress } from '../../src/http/router.ts'
import { assetFiles, assetPath, type Look } from '../../src/pages/assets/assets.ts'
import { sendPage } from '../../src/pages/routing/response.tsx'
import { Gallery } from './gallery.tsx'

/** Both galleries show components of the hosted pages and of the console, so each also has style sheets of the other. */
const STYLES: Readonly<Record<Look, readonly string[]>> = {
  hosted: ['workspace', 'lists'],
  console: ['fields', 'parts', 'lists', 'outcome'],
}
const LOOKS = Object.keys(STYLES) as Look[]

const read = (path: string) => readFileSync(path, 'utf8')
const stylesOf = (look: Look): string =>
  [...STYLES[look].map((name) => `src/pages/styles/${name}.css`), 'dev/gallery/gallery.css']
    .map(read)
    .join('')

export function galleryApp(): Express {
  const app = createExpress()
  app.use(assetFiles())
  app.get('/', (_req, res) => res.redirect('/hosted'))
  for (const look of LOOKS) {
    app.get(`/${look}.css`, (_req, res) => res.type('css').send(stylesOf(look)))
    app.get(`/${look}`, (_req, res) =>
      sendPage(
        res,
        200,
        <html lang="en">
          <head>
            <meta charSet="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>Components</title>
            <link rel="stylesheet" href={assetPath('base.css')} />
            <link rel="stylesheet" href={assetPath(`${look}.css`)} />
            <link rel="stylesheet" href={`/${look}.css`} />
          </head>
          <body class={look}>
            <Gallery />
            <p class="unseen" role="status" />
          </body>
        </html>,
      ),
    )
  }
  return app
}
