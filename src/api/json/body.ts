/** Parses JSON bodies. Refuses a body that is too large or not JSON before all of it has arrived. */
import express, { type NextFunction, type Request, type RequestHandler } from 'express'
import { checkJson } from '../../contracts/json-limits.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { hasBody } from '../../http/cut-off.ts'
import { NOT_UTF8 } from '../../http/errors.ts'

const MAX_JSON_BYTES = 1024 * 1024

/** The content types of JSON bodies. The SCIM 2.0 type is accepted only below the SCIM path. */
const JSON_TYPES = ['application/json', 'application/scim+json']

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Returns whether the label means UTF-8, such as utf8, or its part US-ASCII. */
function meansUtf8(label: string): boolean {
  try {
    return /^us-ascii$/i.test(label) || new TextDecoder(label).encoding === 'utf-8'
  } catch {
    return false
  }
}

/** Refuses bodies of other types, which the parser would treat as empty. */
const requireJson =
  (types: string | string[]): RequestHandler =>
  (req, _res, next) => {
    const type = req.headers['content-type'] ?? ''
    if (!hasBody(req)) return next()
    if (type === '' && req.headers['transfer-encoding'] !== undefined) return requireEmpty(req, next)
    if (!req.is(types)) throw new RequestRefused({ code: 'unsupported_media_type' })
    const [, charset] = CHARSET.exec(type) ?? []
    if (charset !== undefined && !meansUtf8(charset)) throw new RequestRefused(NOT_UTF8)
    // The parser knows only one label of UTF-8, which it assumes if there is none.
    req.headers['content-type'] = type.replace(/;.*/s, '')
    // HTTP defines x-gzip as another name of gzip.
    if (/^x-gzip$/i.test(req.headers['content-encoding'] ?? '')) req.headers['content-encoding'] = 'gzip'
    next()
  }

/** Accepts an empty body in chunks, because gateways from HTTP/2 do not know whether a body follows. */
function requireEmpty(req: Request, next: NextFunction): void {
  const settle = (error?: RequestRefused) => {
    req.off('data', refuse).off('end', settle)
    next(error)
  }
  const refuse = () => settle(new RequestRefused({ code: 'unsupported_media_type' }))
  req.on('data', refuse).on('end', settle)
}

/** Accepts any JSON value. The schema refuses strings and numbers with a specific problem. */
const parseJson = express.json({
  limit: MAX_JSON_BYTES,
  type: JSON_TYPES,
  strict: false,
  verify: (_req, _res, body) => checkJson(body),
})

const tooLarge = () => new RequestRefused({ code: 'payload_too_large' })

/** Refuses an oversized body immediately, because the parser would read all of it first. */
const parseOrRefuseEarly: RequestHandler = (req, res, next) => {
  let size = 0
  let isRefused = false
  if (Number(req.headers['content-length'] ?? 0) > MAX_JSON_BYTES) throw tooLarge()
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (isRefused || size <= MAX_JSON_BYTES) return
    isRefused = true
    next(tooLarge())
  })
  return parseJson(req, res, (error?: unknown) => isRefused || next(error))
}

export const readJson: readonly RequestHandler[] = [requireJson('application/json'), parseOrRefuseEarly]
export const readScimJson: readonly RequestHandler[] = [requireJson(JSON_TYPES), parseOrRefuseEarly]
