/** Sends pages and messages as responses. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { type Frame, Page, render } from './components/layout.tsx'
import { frameOf } from './visit.ts'

export function sendPage(res: Response, status: number, page: VNode): void {
  res.status(status).type('html').send(render(page))
}

/** Returns true if a script sent the request. It shows the result in the current page. */
export const asksForJson = (req: Request): boolean => req.accepts(['html', 'json']) === 'json'

/** Sends a page that contains only a text, such as for a missing page. */
export function sendMessage(
  res: Response,
  status: number,
  frame: Frame,
  about:
    | 'missing'
    | 'failed'
    | 'refused'
    | 'busy'
    | 'late'
    | 'session'
    | 'unsaved'
    | 'console.unsaved'
    | 'stale'
    | 'link.gone',
): void {
  const { t } = frame
  const page = (
    <Page frame={frame} title={t(`${about}.title`)}>
      <p>{t(`${about}.text`)}</p>
    </Page>
  )
  sendPage(res, status, page)
}

/** Reports that the applicant's session has expired. The link opens a new one. */
export const refuseClosed = (req: Request, res: Response): void =>
  sendMessage(res, 401, frameOf(req, null), req.method === 'GET' ? 'session' : 'unsaved')
