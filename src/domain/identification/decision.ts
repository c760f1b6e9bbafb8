/** Rules for decisions on an identification, and for the fields that they can name. */

import type { Problem } from '../base/errors.ts'
import { oncePer } from '../base/once-per.ts'
import { type Decision, type FlagPlace, missingRequest, unknownFile } from '../decision/decision.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { changed, reviewOf, withMove } from './change.ts'
import { isFilledIn, MOVES, type MoveKind } from './identification.ts'
import { formOf, isPersonFile, pathsOf, requiredOfApplicant } from './person-form.ts'
import type { IdentificationDecision, IdentificationRecord } from './record.ts'

export function decide<R extends IdentificationRecord>(
  record: R,
  { kind, fields = [], ...decision }: IdentificationDecision,
  context: TransitionContext,
) {
  const problems = unknownPaths(record, kind, fields, decision)
  if (problems.length > 0) return { problems }
  const asksApplicant = kind === 'request_information' && isFilledIn(record)
  const missing = asksApplicant ? missingRequest(decision, fields, context.actor) : null
  if (missing) return { problems: [missing] }
  return changed(record, {
    ...withMove(record, kind),
    review: reviewOf(record, MOVES[kind].to, decision, fields, context.now, 'operator'),
  })
}

/** Returns a problem for each field in the decision that the applicant did not enter or cannot correct. */
function unknownPaths(
  record: IdentificationRecord,
  kind: MoveKind,
  fields: readonly string[],
  { findings = [] }: Decision,
): Problem[] {
  const wrong = (field: string, message: string): Problem => ({ code: 'invalid', field, message })
  const asks = kind === 'request_information'
  const canAsk = isFilledIn(record)
  const check = (field: string, mayBeNamed: boolean, isKnown: boolean): Problem[] => {
    if (!mayBeNamed)
      return [wrong(field, 'Only an applicant on the hosted pages can correct fields. Remove this field.')]
    return isKnown ? [] : [wrong(field, `Choose from: ${pathsOf(formOf(record)).join(', ')}.`)]
  }
  return [
    ...fields.flatMap((path, index) => check(`fields.${index}`, asks && canAsk, canFlag(record, { path }))),
    ...findings.flatMap(({ path, fileId }, index) => {
      if (fileId !== undefined && fileId !== record.profile[path]) return [unknownFile(index)]
      return check(`findings.${index}.path`, canAsk || !asks, canFlag(record, { path }))
    }),
  ]
}

/**
 * Returns whether operators can accept or flag the field or the file. Applicants on the hosted pages can correct only the
 * fields that the form asks them for. Other identifications have the fields of their profiles.
 */
export function canFlag(record: Flagged, { path, fileId = null }: FlagPlace): boolean {
  const { profile } = record
  const isKnown = askedPaths(record).has(path) || (!isFilledIn(record) && Object.hasOwn(profile, path))
  return isKnown && (fileId === null || profile[path] === fileId)
}

type Flagged = Pick<IdentificationRecord, 'form' | 'kind' | 'origin' | 'profile'>

/** Returns the paths that the form asks for. Stored, because a decision can have 200 findings. */
const askedPaths = oncePer((record: Flagged): ReadonlySet<string> => {
  const { form, profile } = record
  const required = new Set(requiredOfApplicant(profile, form))
  return new Set(pathsOf(formOf(record)).filter((path) => !isPersonFile(path, form) || required.has(path)))
})
