/** Sends pages and messages as responses. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { Advice } from '../components/advice.tsx'
import { ButtonLink } from '../components/button.tsx'
import { Contact, mailTo } from '../components/contact.tsx'
import type { IconName } from '../components/icon.tsx'
import { type Frame, Page, render } from '../components/layout.tsx'
import { MessageHead } from '../components/outcome-hero.tsx'
import { frameOf } from './language.ts'

type BeforePage = { beforePage?: () => void }

/** Runs the work if the response is a page. */
export const beforePage = (res: Response, work: () => void): void => {
  const locals: BeforePage = res.locals
  locals.beforePage = work
}

export function sendPage(res: Response, status: number, page: VNode): void {
  const { beforePage }: BeforePage = res.locals
  beforePage?.()
  res
    .status(status)
    .type('html')
    .send(render(page, fullListsOf(res.req)))
}

/** Returns the address of the page with complete lists, or null if this response must have them. */
function fullListsOf({ method, query, originalUrl }: Request): string | null {
  if (method !== 'GET' || 'lists' in query) return null
  const { searchParams } = new URL(originalUrl, 'http://page')
  searchParams.set('lists', 'full')
  return `?${searchParams}`
}

/** Returns true if a script sent the request. Such a script shows the result on the current page. */
export const asksForJson = (req: Request): boolean => req.accepts(['html', 'json']) === 'json'

const ICONS = {
  missing: 'search',
  'link.gone': 'unlink',
  'link.expired': 'clock',
  'phone.gone': 'qr-code',
  late: 'clock',
  busy: 'clock',
  session: 'clock',
  unsaved: 'clock',
  'console.unsaved': 'clock',
  stale: 'clock',
  refused: 'circle-alert',
  failed: 'circle-alert',
} as const satisfies Record<string, IconName>

/** The options of a reader whose link is not valid, before asking for a new one. */
const NEWEST = ['mail', 'newest'] as const
const OPTIONS = { 'link.gone': [NEWEST, ['copy', 'complete']], 'link.expired': [NEWEST] } as const

interface NextStep {
  readonly href: string
  readonly text: string
  readonly isNewTab?: boolean
}

/**
 * Returns the link of a message, or null if the reader can only go back or reload, as after most forms. The address of a
 * form in a session leads to its current page.
 */
function nextStepOf({ method, originalUrl }: Request, { t, path }: Frame, about: string): NextStep | null {
  const [form] = /^\/verify\/(kyb|person)\/[\da-f-]{36}(?=\/)/.exec(path) ?? []
  if (isOfConsole(path) && ['missing', 'stale', 'refused'].includes(about))
    return { href: '/console', text: t('console.toStart') }
  if (about === 'missing' && form) return { href: form, text: t('leave.back') }
  if (about === 'console.unsaved')
    return { href: '/console/sign_in', text: t('console.signIn'), isNewTab: true }
  const mayRepeat = method === 'GET' && (about === 'busy' || about === 'failed')
  return mayRepeat ? { href: originalUrl, text: t('picture.again') } : null
}

const isOfConsole = (path: string): boolean => path.startsWith('/console')

/** Sends a message as a page. `company` is the one that can renew the expired link of its owner. */
export function sendMessage(
  res: Response,
  status: number,
  frame: Frame,
  about: keyof typeof ICONS,
  company: string | null = null,
): void {
  const { t } = frame
  const isLink = about === 'link.gone' || about === 'link.expired'
  const mail = isLink && company === null ? mailTo(frame, t('link.gone.ask')) : null
  const text = about === 'missing' && isOfConsole(frame.path) ? 'console.missing' : (`${about}.text` as const)
  const step = nextStepOf(res.req, frame, about)
  const page = (
    <Page
      frame={frame}
      title={t(`${about}.title`)}
      hero={
        <MessageHead icon={ICONS[about]} title={t(`${about}.title`)} text={t(text)}>
          {step && (
            <ButtonLink kind="secondary" href={step.href} {...(step.isNewTab && { target: '_blank' })}>
              {step.text}
            </ButtonLink>
          )}
        </MessageHead>
      }
      hasContact={isLink && company === null}
    >
      {isLink ? (
        <div class="result">
          <div class="card">
            <Advice
              items={[
                ...OPTIONS[about].map(([icon, option]) => ({
                  icon,
                  name: t(`link.gone.${option}`),
                  note: t(`link.gone.${option}.text`),
                })),
                {
                  icon: 'message-square-text',
                  name: t('link.gone.ask'),
                  note: company === null ? <Contact frame={frame} /> : t('link.expired.company', { company }),
                },
              ]}
            />
          </div>
          {about === 'link.gone' ? <p class="hint">{t('link.gone.sender')}</p> : null}
          {mail === null ? null : (
            <div class="dock">
              <ButtonLink icon="mail" href={mail}>
                {t('link.gone.ask')}
              </ButtonLink>
            </div>
          )}
        </div>
      ) : null}
    </Page>
  )
  sendPage(res, status, page)
}

export const sendMissing = (res: Response, { frame }: { readonly frame: Frame }): void =>
  sendMessage(res, 404, frame, 'missing')

/** Reports that the applicant's session has expired. The applicant can start a new session with the link. */
export const refuseClosed = (req: Request, res: Response): void =>
  sendMessage(res, 401, frameOf(req, null), req.method === 'GET' ? 'session' : 'unsaved')
