/** Stores the last filter of the queue, the step after a decision, and a one-time notice in cookies. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { type QueueQuery, queueQueryText } from '../../../contracts/queue.ts'
import type { Granted } from '../../../domain/access/grant.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { findTitle } from '../../../use-cases/review/queue.ts'
import { inShort } from '../../components/values.tsx'
import { cookiesOf, setCookie } from '../../routing/cookie.ts'
import { beforePage } from '../../routing/response.tsx'
import type { Visit } from '../../routing/visit.ts'
import { isTextName, type TextName } from '../../texts/index.ts'
import { readQueueQuery } from './queue-query.ts'

const COOKIE = 'gatehouse_queue'
const NOTICE = 'gatehouse_notice'
const OPENS_NEXT = 'gatehouse_next'
/** The notices about cases and the queue. The name of the case follows the text. */
const CASE_NOTICES = {
  decided: 'console.decided',
  proposed: 'console.proposed',
  sentBack: 'console.sentBack',
  withdrawn: 'console.withdrawn',
  noted: 'console.noted',
  assigned: 'console.assigned',
  unassigned: 'console.released',
  placed: 'console.placed',
  lifted: 'console.lifted',
  resent: 'console.resent',
  none: 'console.next.none',
  profileChanged: 'console.profile.changed',
  others: 'console.pick.others',
} as const satisfies Record<string, TextName>
export type CaseNotice = keyof typeof CASE_NOTICES

const DONE = 'settings.done.'
type DoneOf<N> = N extends `${typeof DONE}${infer Notice}` ? Notice : never
/** The notices about all other objects. Their texts contain the name of the object. */
export type ObjectNotice = DoneOf<TextName>

export const rememberedQuery = (req: Request): QueueQuery =>
  readQueueQuery(Object.fromEntries(new URLSearchParams(cookiesOf(req)[COOKIE] ?? '')))

/** Stores the filter until the browser closes. */
export const rememberQuery = (deps: RouteDeps, res: Response, asked: QueueQuery): void =>
  setCookie(deps, res, { name: COOKIE, value: queueQueryText(asked), path: '/console' })

/** Stores whether the next case opens after the operator makes a decision. */
export const rememberOpensNext = (deps: RouteDeps, res: Response, opensNext: boolean): void =>
  setCookie(deps, res, { name: OPENS_NEXT, value: opensNext ? 'yes' : '', path: '/console' })

/** Selects the next case for operators who work through the queue and have not chosen yet. */
export function suggestOpensNext(deps: RouteDeps, res: Response): void {
  if (cookiesOf(res.req)[OPENS_NEXT] === undefined) rememberOpensNext(deps, res, true)
}

export const opensNextCase = (req: Request): boolean => cookiesOf(req)[OPENS_NEXT] === 'yes'

/** Stores a notice that the next page shows once. */
export const setFlash = (
  deps: RouteDeps,
  res: Response,
  notice: CaseNotice,
  about?: Pick<EntityRef, 'id'>,
): void => setNotice(deps, res, [notice, about?.id].filter(Boolean).join(' '), 60)

/** Stores a notice about an object with a name, and returns the path of the page that shows the notice. */
export function flashAt(
  deps: RouteDeps,
  res: Response,
  path: string,
  notice: ObjectNotice,
  name = '',
): string {
  setNotice(deps, res, `${notice} ${inShort(name)}`, 60)
  return path
}

/** Returns the text of the notice. The response removes the notice if it is a page, but not if it is a redirect. */
export async function takeFlash(
  deps: RouteDeps,
  visit: Granted & Pick<Visit, 'frame' | 'actor'>,
  res: Response,
): Promise<string | undefined> {
  const stored = cookiesOf(res.req)[NOTICE]
  if (stored === undefined) return undefined
  beforePage(res, () => setNotice(deps, res, '', 0))
  const [said = '', ...rest] = stored.split(' ')
  const about = rest.join(' ')
  const { t } = visit.frame
  const done = DONE + said
  if (isTextName(done)) return t(done, { name: inShort(about) })
  if (!Object.hasOwn(CASE_NOTICES, said)) return undefined
  const text = t(CASE_NOTICES[said as CaseNotice])
  const title = isUuid(about) ? await findTitle(deps, visit, byOf(visit, res.req), about) : null
  return title ? `${text}: ${inShort(title)}` : text
}

const setNotice = (deps: RouteDeps, res: Response, value: string, maxAge: number): void =>
  setCookie(deps, res, { name: NOTICE, value, maxAge, path: '/console' })
