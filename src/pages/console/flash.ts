/** Stores the last filter of the queue, the step after a decision, and a one-time notice in cookies. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import type { QueueQuery } from '../../contracts/queue.ts'
import { queueQueryText } from '../../contracts/queue.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { setCookie } from '../routing/cookie.ts'
import type { TextName } from '../texts/index.ts'
import { readQueueQuery } from './queue-query.ts'

const COOKIE = 'gatehouse_queue'
const NOTICE = 'gatehouse_notice'
const OPENS_NEXT = 'gatehouse_next'
const NOTICES = {
  decided: 'console.decided',
  proposed: 'console.proposed',
  none: 'console.next.none',
  others: 'console.pick.others',
} as const

export const rememberedQuery = (req: Request): QueueQuery =>
  readQueueQuery(Object.fromEntries(new URLSearchParams(parseCookie(req.headers.cookie ?? '')[COOKIE] ?? '')))

/** Stores the filter until the browser closes. */
export const rememberQuery = (deps: RouteDeps, res: Response, asked: QueueQuery): void =>
  setCookie(deps, res, { name: COOKIE, value: queueQueryText(asked), path: '/console' })

/** Stores whether the next case opens after the operator makes a decision. */
export const rememberOpensNext = (deps: RouteDeps, res: Response, opensNext: boolean): void =>
  setCookie(deps, res, { name: OPENS_NEXT, value: opensNext ? 'yes' : '', path: '/console' })

export const opensNextCase = (req: Request): boolean =>
  parseCookie(req.headers.cookie ?? '')[OPENS_NEXT] === 'yes'

/** Stores a notice that the next page of the queue or of a case shows once. */
export const setFlash = (res: Response, notice: keyof typeof NOTICES): void => setNotice(res, notice, 60)

export function takeFlash(req: Request, res: Response): TextName | undefined {
  const said = parseCookie(req.headers.cookie ?? '')[NOTICE]
  if (said === undefined) return undefined
  setNotice(res, '', 0)
  return Object.hasOwn(NOTICES, said) ? NOTICES[said as keyof typeof NOTICES] : undefined
}

function setNotice(res: Response, value: string, maxAge: number): void {
  const cookie = { name: NOTICE, value, maxAge, path: '/console', httpOnly: true }
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }))
}
