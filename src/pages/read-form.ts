/** Forms as they are read: from anybody little, from who has a session as much as the form can be. */
import express, { type Request, type RequestHandler } from 'express'

interface Limits {
  /** Bytes. */
  readonly limit: number
  /** Fields. */
  readonly parameterLimit: number
}

const SMALL_FORM: Limits = { limit: 64_000, parameterLimit: 500 }
/** From an applicant: the longest texts of a section in any script, and what each began with. */
export const LONG_FORM: Limits = { limit: 1_500_000, parameterLimit: 500 }
/** From an operator: a decision sends what is found of each field, of a hundred beneficiaries too, in any script. */
export const CASE_FORM: Limits = { limit: 4_000_000, parameterLimit: 10_000 }

/** Browsers compress no form; what is small when it comes may be large when it is read. */
const reading = (limits: Limits): RequestHandler =>
  express.urlencoded({ extended: false, inflate: false, verify: readSpaces, ...limits })

/** From anybody. */
export const readSmallForm = reading(SMALL_FORM)

/** Reads a form from whom `find` knows, and a small one of few fields from anybody. Others are answered without it. */
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

/** In the bytes of a form: the parser, which does it in a text, takes a quarter of a second for a million of them. */
function readSpaces(_req: unknown, _res: unknown, form: Buffer): void {
  for (let at = 0; at < form.length; at++) if (form[at] === PLUS) form[at] = SPACE
}
