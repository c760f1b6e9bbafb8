/** Where a base path describes itself: `/openapi.json` for programs, `/docs` for people; no credentials needed. */
import { type RequestHandler, Router } from 'express'
import { RequestRefused } from '../domain/errors.ts'
import { guardPage } from '../pages/html.ts'
import { REFERENCE_STYLE, referencePage } from '../pages/reference.ts'
import type { OpenApiDocument } from './openapi.ts'

export function referenceRoutes(document: OpenApiDocument): Router {
  const router = Router()
  const page = referencePage(document)
  router.get('/openapi.json', (_req, res) => {
    res.json(document)
  })
  router.get('/docs', guardPage(REFERENCE_STYLE), (_req, res) => {
    res.type('html').send(page)
  })
  router.all(['/openapi.json', '/docs'], onlyGet)
  return router
}

const onlyGet: RequestHandler = (_req, res) => {
  res.setHeader('Allow', 'GET')
  throw new RequestRefused({ code: 'method_not_allowed' })
}
