/** How pages are answered with. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { type Frame, Page, render } from './components/layout.tsx'
import { frameOf } from './visit.ts'

export function sendPage(res: Response, status: number, page: VNode): void {
  res.status(status).type('html').send(render(page))
}

/** Whether a script of ours asks, which shows what became of it in the page that is there. */
export const asksForJson = (req: Request): boolean => req.accepts(['html', 'json']) === 'json'

/** A page of nothing but words, such as for what is not there. */
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

/** The session of an applicant has ended: the link opens another. */
export const refuseClosed = (req: Request, res: Response): void =>
  sendMessage(res, 401, frameOf(req, null), req.method === 'GET' ? 'session' : 'unsaved')
