/** Where a base path describes itself: `/openapi.json` for programs, `/docs` for people; no credentials needed. */
import { type RequestHandler, Router } from 'express'
import { RequestRefused } from '../domain/errors.ts'
import { guardPage } from '../http/page.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { REFERENCE_FILES, REFERENCE_POLICY, referencePage } from './reference-page.ts'

/** The document is made when it is first asked for, so that no start waits for it. */
export function referenceRoutes(title: string, describe: () => Promise<OpenApiDocument>): Router {
  const router = Router()
  const page = referencePage(title)
  let document: Promise<OpenApiDocument> | null = null
  router.get('/openapi.json', async (_req, res) => {
    document ??= describe()
    res.json(await document)
  })
  router.use('/docs', guardPage(REFERENCE_POLICY), files())
  router.get('/docs', (req, res) => {
    // What the page names is beside it.
    if (req.path.endsWith('/')) res.redirect(308, '../docs')
    else res.type('html').send(page)
  })
  router.all(['/openapi.json', '/docs'], onlyRead)
  return router
}

function files(): Router {
  const router = Router()
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
