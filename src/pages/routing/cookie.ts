/** Reads and sets cookies. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import type { RouteDeps } from '../../http/deps.ts'

export const cookiesOf = (req: Request) => parseCookie(req.headers.cookie ?? '')

export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

/**
 * Sets a cookie that lasts until the browser closes, unless `maxAge` is set. The cookie is not `Strict`, because
 * readers follow links from emails, tickets and clients' sites.
 */
export function setCookie(
  { config }: RouteDeps,
  res: Response,
  cookie: { name: string; value: string; path: string; maxAge?: number },
): void {
  const secure = isSecure(config.PUBLIC_URL)
  res.append('Set-Cookie', stringifySetCookie({ ...cookie, httpOnly: true, sameSite: 'lax', secure }))
}
