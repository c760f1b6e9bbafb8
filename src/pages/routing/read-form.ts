/** Parses submitted forms: small forms from any sender, and larger forms only with a session. */
import { isUtf8 } from 'node:buffer'
import express, { type Request, type RequestHandler } from 'express'
import { RequestRefused } from '../../domain/base/errors.ts'

interface Limits {
  /** The maximum size, in bytes. */
  readonly limit: number
  /** The maximum number of fields. */
  readonly parameterLimit: number
}

const SMALL_FORM: Limits = { limit: 64_000, parameterLimit: 500 }
/** The limits for applicants, which allow the longest texts of a section in any script, and their initial values. */
export const LONG_FORM: Limits = { limit: 1_500_000, parameterLimit: 500 }
/** The limits for operators allow findings on each field, including those of 100 beneficiaries. */
export const CASE_FORM: Limits = { limit: 4_000_000, parameterLimit: 10_000 }

/** Creates a parser that refuses compressed forms. Browsers never send them, and a small one could become large. */
const reading = (limits: Limits): RequestHandler =>
  express.urlencoded({ extended: false, inflate: false, verify: prepare, ...limits })

export const readSmallForm = reading(SMALL_FORM)

/** Parses the form if it is small or `find` returns a session. Otherwise, the request continues without a body. */
export function readFormOf(find: (req: Request) => Promise<unknown>, limits: Limits): RequestHandler {
  const areFieldsFew = limits.parameterLimit <= SMALL_FORM.parameterLimit
  const readForm = reading(limits)
  return async (req, res, next) => {
    if (areFieldsFew && Number(req.headers['content-length']) <= SMALL_FORM.limit)
      readSmallForm(req, res, next)
    else if ((await find(req)) !== null) readForm(req, res, next)
    else next()
  }
}

const [PLUS, SPACE, PERCENT] = [...Buffer.from('+ %')]

/** The values of hexadecimal digits by character code. 255 stands for all other characters. */
const DIGITS = new Uint8Array(256).fill(255)
for (const digit of '0123456789abcdefABCDEF') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/**
 * Replaces plus signs with spaces, because the parser takes a quarter of a second for a million plus signs. Refuses text
 * that is not percent-encoded UTF-8, because the parser would return it still encoded, and it would be stored so.
 */
function prepare(_req: unknown, _res: unknown, form: Buffer): void {
  const text = Buffer.allocUnsafe(form.length)
  let length = 0
  for (let at = 0; at < form.length; at++) {
    if (form[at] === PLUS) form[at] = SPACE as number
    let byte = form[at] as number
    if (byte === PERCENT) {
      const high = DIGITS[form[at + 1] ?? 0] as number
      const low = DIGITS[form[at + 2] ?? 0] as number
      if (high === 255 || low === 255) throw notUtf8()
      byte = high * 16 + low
      at += 2
    }
    text[length++] = byte
  }
  if (!isUtf8(text.subarray(0, length))) throw notUtf8()
}

const notUtf8 = () => new RequestRefused({ code: 'malformed_request', message: 'Encode the form in UTF-8.' })
