/** Closes connections whose request is refused before its body has arrived. */
import type { Request, RequestHandler } from 'express'
import { beforeHead } from './before-head.ts'

/** How long the client has to read the response. */
const CUT_OFF_MS = 1_000

export const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

/**
 * Announces the end of the connection in a response that precedes the end of the request, because a client would
 * otherwise send its next request on a connection that is about to be closed. Reads on for a while, because closing a
 * connection with unread bytes can discard the response.
 */
export const cutOff: RequestHandler = (req, res, next) => {
  const { socket } = req
  if (!hasBody(req)) return next()
  beforeHead(res, () => {
    if (req.complete) return
    res.setHeader('Connection', 'close')
    // Node.js calls this after the response.
    socket.destroySoon = () => {
      socket.end()
      setTimeout(() => socket.destroy(), CUT_OFF_MS).unref()
    }
  })
  next()
}
