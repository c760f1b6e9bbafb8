/** Routes with which a verification provider reports results and fetches documents (docs/providers.md). */
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { parseJsonOrRefuse } from '../../contracts/check.ts'
import { checkAnswerBody } from '../../contracts/verification-check.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { sendFile } from '../../http/file-response.ts'
import { spanOf } from '../../http/request-span.ts'
import { createRouter } from '../../http/router.ts'
import { withinSpan } from '../../use-cases/base/deps.ts'
import {
  answerProviderCheck,
  getCheckFile,
  readCheckFile,
  requireSignature,
} from '../../use-cases/identification/provider-check.ts'

const MAX_BYTES = 64 * 1024

export function providerRoutes(deps: RouteDeps, secret: string): Router {
  const router = createRouter()
  // Keeps the exact bytes, because the signature covers them.
  const readBytes = express.raw({ type: () => true, limit: MAX_BYTES, inflate: false })
  const only =
    (method: string): RequestHandler =>
    (req, res, next) => {
      if (req.method === method) return next()
      res.setHeader('Allow', method)
      throw new RequestRefused({ code: 'method_not_allowed' })
    }
  /** Counts the request as anonymous until its signature is verified. */
  const asStranger: RequestHandler = async (req, res, next) => {
    res.locals.isProvider = await deps.limit(null, req, res)
    next()
  }
  router.all('/checks/:id', only('POST'), asStranger, readBytes, (req, res) =>
    receiveCallback(withinSpan(deps, spanOf(res)), secret, req, res),
  )
  // Does not support HEAD, because a HEAD request would also count as an access through the link.
  router.all('/files/:token', only('GET'), asStranger, (req, res) =>
    showDocument(withinSpan(deps, spanOf(res)), req, res),
  )
  return router
}

async function receiveCallback(deps: RouteDeps, secret: string, req: Request, res: Response): Promise<void> {
  const body: Buffer = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  requireSignature(body, req.headers['service-signature'], secret)
  res.locals.isProvider()
  const answer = read(body)
  if (answer.check_id !== String(req.params.id).toLowerCase()) {
    const message = 'The check_id differs from the one in the path. Send the check_id of the path.'
    throw new RequestRefused({ code: 'invalid', field: 'check_id', message })
  }
  const { outcome, reason_code: reasonCode, fields } = answer
  const result = { outcome, ...(reasonCode && { reasonCode }), ...(fields && { fields }) }
  await answerProviderCheck(deps, answer.check_id, result)
  res.json({ data: { check_id: answer.check_id, outcome } })
}

function read(body: Buffer) {
  try {
    return parseJsonOrRefuse(checkAnswerBody, body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RequestRefused({
      code: 'malformed_request',
      message: 'The body is not valid JSON. Send a JSON object.',
    })
  }
}

async function showDocument(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const token = String(req.params.token)
  const file = await getCheckFile(deps, token)
  res.locals.isProvider()
  sendFile(res, 200, await readCheckFile(deps, res, token, file))
}
