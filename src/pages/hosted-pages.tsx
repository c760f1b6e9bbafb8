/** Routes for all pages: verification links, the company form, the person form and the console. */
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express'
import { validate as isUuid } from 'uuid'
import { ERRORS, type ErrorCode, RequestRefused, statusOf } from '../domain/base/errors.ts'
import type { RouteDeps } from '../http/deps.ts'
import { problemsOf } from '../http/errors.ts'
import { guardPage } from '../http/page.ts'
import { spanOf } from '../http/request-span.ts'
import { createRouter } from '../http/router.ts'
import { REFUSED } from '../http/server.ts'
import { type BrandFile, getBrandFile } from '../use-cases/access/branding.ts'
import { findHandOver } from '../use-cases/applicant/hand-over.ts'
import { reminderRoute } from './applicant/base/reminders.tsx'
import { type Form, findVisit, startFormOnPhone } from './applicant/base/visit.ts'
import { companyRoutes } from './applicant/company/routes.tsx'
import { followLink, showLink } from './applicant/link/routes.tsx'
import { PhoneLink } from './applicant/person/phone.tsx'
import { personRoutes } from './applicant/person/routes.tsx'
import { assetFiles } from './assets/assets.ts'
import { PDFJS_PATH, pdfjsFiles } from './assets/pdfjs.ts'
import { findConsoleVisit } from './console/base/visit.ts'
import { consoleRoutes } from './console/routes.tsx'
import { chooseLanguage, frameOf, lastFrameOf } from './routing/language.ts'
import { isFromOurPage } from './routing/origin.ts'
import { CASE_FORM, LONG_FORM, readFormOf, readSmallForm } from './routing/read-form.ts'
import { sendMessage, sendPage } from './routing/response.tsx'

/** The content security policy allows Gatehouse's own files, and photos that the reader has just taken. */
const POLICY = {
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'", 'blob:', 'data:'],
  formAction: ["'self'"],
}

const RETRY_AFTER_SECONDS = 1

const BRAND_FILES = ['brand.css', 'logo.png'] as const satisfies readonly BrandFile[]

/** Matches IDs in any case. Workflow IDs and the context of encrypted values contain them in lower case. */
const ID = /(?<=\/)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/gi
const withIds = (path: string): string => path.replace(ID, (id) => id.toLowerCase())

export function hostedPages(deps: RouteDeps): Router {
  const router = createRouter()
  const readForm = (form: Form) =>
    readFormOf((req) => findVisit(deps, req, form, String(req.params.id)), LONG_FORM)
  router.use(assetFiles())
  router.use(PDFJS_PATH, pdfjsFiles())
  router.use(['/verify', '/console'], (req, _res, next) => {
    req.url = req.url.replace(/^[^?]*/, withIds)
    next()
  })
  router.use(['/verify', '/console'], guardPage(POLICY), async (req, res, next) => {
    res.setHeader('Permissions-Policy', 'camera=(self), microphone=(), geolocation=()')
    res.on(REFUSED, (code: ErrorCode) =>
      sendMessage(
        res,
        ERRORS[code].status,
        lastFrameOf(req),
        code === 'request_timeout' ? 'late' : 'refused',
      ),
    )
    await deps.limit(null, req, res)
    next()
  })
  router.use('/verify', (req, res, next) => {
    if (req.method !== 'GET' || !chooseLanguage(deps, req, res)) next()
  })
  for (const file of BRAND_FILES) router.get(`/verify/vaults/:id/:version/${file}`, sendBrand(deps, file))
  router.get('/verify/:token', (req, res) => showLink(deps, req, res))
  router.post('/verify/:token', readSmallForm, (req, res) => followLink(deps, req, res))
  router.get('/verify/reminders/:id/:key', reminderRoute(deps))
  router.post('/verify/reminders/:id/:key', reminderRoute(deps))
  router.get('/verify/phone/:token', (req, res) => showPhoneLink(deps, req, res))
  router.post('/verify/phone/:token', readSmallForm, (req, res) => followPhoneLink(deps, req, res))
  router.use('/verify/kyb/:id', companyRoutes(deps, readForm('kyb')))
  router.use('/verify/person/:id', personRoutes(deps, readForm('person')))
  router.use('/verify', (req, res) => sendMessage(res, 404, frameOf(req, null), 'missing'))
  router.use(
    '/console',
    consoleRoutes(
      deps,
      readFormOf((req) => findConsoleVisit(deps, req), CASE_FORM),
    ),
  )
  router.use(['/verify', '/console'], showFailure(deps))
  return router
}

/** Sends a branding file. The content of a versioned path never changes, so browsers can cache it permanently. */
const sendBrand =
  (deps: RouteDeps, file: BrandFile): RequestHandler =>
  async (req, res, next) => {
    const { id, version } = req.params
    const content = isUuid(id) ? await getBrandFile(deps, String(id), String(version), file) : null
    if (content === null) return next()
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable').type(file).send(content)
  }

async function showPhoneLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const found = await findHandOver(deps, String(req.params.token))
  const frame = frameOf(req, found?.vault ?? null)
  if (found?.isValid) sendPage(res, 200, <PhoneLink frame={frame} name={found.name} />)
  else sendMessage(res, 404, frame, 'phone.gone')
}

async function followPhoneLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const found = await findHandOver(deps, String(req.params.token))
  const frame = frameOf(req, found?.vault ?? null)
  if (!isFromOurPage(deps, req)) return sendMessage(res, 403, frame, 'stale')
  const path = await startFormOnPhone(deps, res, String(req.params.token))
  // The page after `document` is the first photo page.
  if (path === null) sendMessage(res, 404, frame, 'phone.gone')
  else res.redirect(303, `${path}/next/document`)
}

function showFailure({ log }: RouteDeps): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (res.headersSent) return void res.destroy()
    const status = statusOf(problemsOf(error))
    const isBusy = status === 429 || (status === 503 && error instanceof RequestRefused)
    if (isBusy) res.setHeader('Retry-After', res.getHeader('Retry-After') ?? RETRY_AFTER_SECONDS)
    else if (status >= 500)
      log.error(
        { err: error, requestId: res.getHeader('X-Request-Id'), ...spanOf(res).logFields, status },
        'page failed',
      )
    const about = isBusy ? 'busy' : status >= 500 ? 'failed' : status === 404 ? 'missing' : 'refused'
    sendMessage(res, status, lastFrameOf(req), about)
  }
}
