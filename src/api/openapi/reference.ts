/** Routes for `/openapi.json` and `/docs` of a base path, which require no credentials. */
import type { RequestHandler, Router } from 'express'
import { RequestRefused } from '../../domain/base/errors.ts'
import { guardPage } from '../../http/page.ts'
import { createRouter } from '../../http/router.ts'
import type { OpenApiDocument } from './document.ts'
import { REFERENCE_FILES, REFERENCE_POLICY, referencePage } from './reference-page.ts'

/** Creates the routes. Generates the document at the first request, so that it does not delay the start. */
export function referenceRoutes(title: string, describe: () => Promise<OpenApiDocument>): Router {
  const router = createRouter()
  const page = referencePage(title)
  let document: Promise<Buffer> | null = null
  router.get('/openapi.json', async (_req, res) => {
    document ??= describe().then((described) => Buffer.from(JSON.stringify(described)))
    res.type('json').send(await document)
  })
  router.use('/docs', guardPage(REFERENCE_POLICY), files())
  router.get('/docs', (req, res) => {
    // The page loads its files relative to this path.
    if (req.path.endsWith('/')) res.redirect(308, '../docs')
    else res.type('html').send(page)
  })
  router.all(['/openapi.json', '/docs'], onlyRead)
  return router
}

function files(): Router {
  const router = createRouter()
  for (const { name, content } of REFERENCE_FILES) {
    router.get(`/${name}`, (_req, res) => {
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(name).send(content)
    })
    router.all(`/${name}`, onlyRead)
  }
  return router
}

const onlyRead: RequestHandler = (_req, res) => {
  res.setHeader('Allow', 'GET, HEAD')
  throw new RequestRefused({ code: 'method_not_allowed' })
}
