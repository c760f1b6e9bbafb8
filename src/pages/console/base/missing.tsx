/** Page: an object is missing or the roles do not allow access. Keeps the navigation of the console. */
import type { ErrorRequestHandler } from 'express'
import { hasPermission } from '../../../domain/access/grant.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { frameOf } from '../../routing/language.ts'
import { sendMessage, sendPage } from '../../routing/response.tsx'
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
      <Shell
        visit={visit}
        title={t('missing.title')}
        isInSection={false}
        head={
          <EmptyState icon="search" text={`${t('missing.title')}. ${t('console.missing')}`} isTitle>
            <ButtonLink kind="secondary" href="/console">
              {t(hasPermission(visit, 'read_cases') ? 'console.toQueue' : 'console.toStart')}
            </ButtonLink>
          </EmptyState>
        }
      />
    )
    sendPage(res, 404, page)
  }
