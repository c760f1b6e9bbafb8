/** What a verification provider calls: the answers to its checks, and links to documents (docs/providers.md). */
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { check } from '../contracts/check.ts'
import { checkAnswerBody } from '../contracts/verification-check.ts'
import { followCheckLink, takeOpeningBack } from '../db/cases/check-link.ts'
import { findAttachedFile } from '../db/cases/file.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { RouteDeps } from '../http/deps.ts'
import { sendFile } from '../http/file-answer.ts'
import { completeCheck } from '../temporal/facts.ts'
import { DEADLINE_MS } from '../temporal/gateway.ts'
import { giveFile } from '../use-cases/cases/file-reading.ts'
import { answerCheck } from '../use-cases/identification/check-answer.ts'
import { refusalOf } from '../webhooks/verify-webhook.ts'
import { checkJson } from './json-limits.ts'

const MAX_BYTES = 64 * 1024

export function providerRoutes(deps: RouteDeps, secret: string): Router {
  const router = Router()
  // The bytes as they came are what was signed.
  const readBytes = express.raw({ type: () => true, limit: MAX_BYTES, inflate: false })
  const only =
    (method: string): RequestHandler =>
    (req, res, next) => {
      if (req.method === method) return next()
      res.setHeader('Allow', method)
      throw new RequestRefused({ code: 'method_not_allowed' })
    }
  /** Everybody is a stranger, until it turns out that it is the provider. */
  const asStranger: RequestHandler = async (req, res, next) => {
    res.locals.isProvider = await deps.limit(null, req, res)
    next()
  }
  router.all('/checks/:id', only('POST'), asStranger, readBytes, (req, res) =>
    takeAnswer(deps, secret, req, res),
  )
  // Looking at a link's headers would open it, too.
  router.all('/files/:token', only('GET'), asStranger, (req, res) => showDocument(deps, req, res))
  return router
}

async function takeAnswer(deps: RouteDeps, secret: string, req: Request, res: Response): Promise<void> {
  const body: Buffer = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  if (refusalOf(body, req.headers['service-signature'], secret))
    throw new RequestRefused({ code: 'invalid_signature' })
  res.locals.isProvider()
  const answer = read(body)
  if (answer.check_id !== String(req.params.id).toLowerCase()) {
    const message = 'This is another check than the one that the address names.'
    throw new RequestRefused({ code: 'invalid', field: 'check_id', message })
  }
  const { outcome, reason_code: reasonCode, fields } = answer
  const result = { outcome, ...(reasonCode && { reasonCode }), ...(fields && { fields }) }
  const { check: asked, isAwaited } = await answerCheck(deps.db, answer.check_id, result)
  const { db, temporal, log } = deps
  if (isAwaited) {
    // The answer is in the row already: when it cannot be told now, housekeeping tells it.
    await temporal
      .withDeadline(Date.now() + DEADLINE_MS, () => completeCheck(db, temporal, asked))
      .catch((err) => log.warn({ err, checkId: asked.id }, 'the workflow was not told of an answer'))
  }
  res.json({ data: { check_id: asked.id, outcome } })
}

function read(body: Buffer) {
  checkJson(body)
  return check(checkAnswerBody, jsonOf(body))
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new RequestRefused({ code: 'malformed_request', message: 'The body is not JSON.' })
  }
}

/** The picture as it was uploaded: what it says beside what is seen is evidence, too. */
async function showDocument(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const token = String(req.params.token)
  const fileId = await followCheckLink(deps.db, token)
  const file = fileId && (await findAttachedFile(deps.db, fileId))
  if (!file) throw new RequestRefused({ code: 'not_found' })
  res.locals.isProvider()
  const given = giveFile(deps, { caller: { actor: 'provider' }, res }, file, { asView: false })
  const { body } = await given.catch(async (error) => {
    await takeOpeningBack(deps.db, token)
    throw error
  })
  sendFile(res, 200, body.content)
}
