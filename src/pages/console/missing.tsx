/**
 * Page: the message that an object is missing or that the operator's roles do not allow access to it. The page keeps
 * the console's navigation.
 */
import type { ErrorRequestHandler } from 'express'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { frameOf } from '../routing/language.ts'
import { sendMessage, sendPage } from '../routing/response.tsx'
import { Shell } from './shell.tsx'
import { findConsoleVisit } from './visit.ts'

export const showMissing =
  (deps: RouteDeps): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const isMissing =
      error instanceof RequestRefused && error.problems.some(({ code }) => code === 'not_found')
    if (!isMissing || res.headersSent) return next(error)
    const visit = await findConsoleVisit(deps, req)
    if (!visit) return sendMessage(res, 404, frameOf(req, null), 'missing')
    const { t } = visit.frame
    const page = (
      <Shell visit={visit} title={t('missing.title')}>
        <p>{t('console.missing')}</p>
      </Shell>
    )
    sendPage(res, 404, page)
  }
