/** Checks that a form comes from a page of this deployment. */
import { timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import type { RouteDeps } from '../../http/deps.ts'

/** Returns false for requests from other sites. Older browsers send no `Sec-Fetch-Site`. */
export function isFromHere(req: Request): boolean {
  const site = req.get('Sec-Fetch-Site')
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** Checks the origin of a form without a session and its token. Older browsers send only `Origin`. */
export function isFromOurPage({ config }: RouteDeps, req: Request): boolean {
  const host = req.get('Host')
  // The pages send no referrer, so browsers may send `null` as the origin of a form.
  const ours = [undefined, 'null', config.PUBLIC_URL, `http://${host}`, `https://${host}`]
  return isFromHere(req) && ours.includes(req.get('Origin'))
}

/** Returns true if the form contains the token of this session. */
export function isOurForm(req: Request, csrf: string): boolean {
  const token = (req.body as { _csrf?: unknown } | undefined)?._csrf
  return isFromHere(req) && typeof token === 'string' && isSameToken(Buffer.from(token), Buffer.from(csrf))
}

const isSameToken = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
