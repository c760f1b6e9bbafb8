/** Parses submitted forms: small forms from any sender, and larger forms only with a session. */
import express, { type Request, type RequestHandler } from 'express'

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
  express.urlencoded({ extended: false, inflate: false, verify: readSpaces, ...limits })

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

const PLUS = 0x2b
const SPACE = 0x20

/** Replaces plus signs with spaces, because the parser takes a quarter of a second for a million plus signs. */
function readSpaces(_req: unknown, _res: unknown, form: Buffer): void {
  for (let at = 0; at < form.length; at++) if (form[at] === PLUS) form[at] = SPACE
}
