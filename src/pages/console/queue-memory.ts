/** The filter of the queue that the browser showed last: where one comes back to, and what the next case is of. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import type { QueueQuery } from '../../contracts/queue.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { queueQueryText, readQueueQuery } from '../../http/queue-filter.ts'

const COOKIE = 'gatehouse_queue'

export const rememberedQuery = (req: Request): QueueQuery =>
  readQueueQuery(Object.fromEntries(new URLSearchParams(parseCookie(req.headers.cookie ?? '')[COOKIE] ?? '')))

/** Until the browser is closed. */
export function rememberQuery({ config }: RouteDeps, res: Response, asked: QueueQuery): void {
  const secure = config.PUBLIC_URL.startsWith('https:')
  const cookie = { name: COOKIE, value: queueQueryText(asked), path: '/console', httpOnly: true, secure }
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }))
}
