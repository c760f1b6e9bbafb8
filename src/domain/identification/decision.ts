/** Rules for decisions on an identification, and for the fields that they can name. */

import type { Problem } from '../base/errors.ts'
import { type Decision, missingRequest } from '../decision/decision.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { changed, reviewOf, withMove } from './change.ts'
import { isFilledIn, MOVES, type MoveKind } from './identification.ts'
import { isPersonFile, PERSON_PATHS, pathsOf, requiredOfApplicant } from './person-form.ts'
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
  const required = requiredOfApplicant(record.profile, record.form)
  const wrong = (field: string, message: string): Problem => ({ code: 'invalid', field, message })
  const paths = record.form ? pathsOf(record.form) : PERSON_PATHS
  const correctable = (path: string) =>
    paths.includes(path) && (!isPersonFile(path, record.form) || required.includes(path))
  const asks = kind === 'request_information'
  const canAsk = isFilledIn(record)
  const check = (field: string, mayBeNamed: boolean, isKnown: boolean): Problem[] => {
    if (!mayBeNamed)
      return [wrong(field, 'Only an applicant on the hosted pages can correct fields. Remove this field.')]
    return isKnown ? [] : [wrong(field, `Choose from: ${paths.join(', ')}.`)]
  }
  return [
    ...fields.flatMap((path, index) => check(`fields.${index}`, asks && canAsk, correctable(path))),
    ...findings.flatMap(({ path, fileId }, index) => {
      const isKnown = correctable(path) || (!asks && Object.hasOwn(record.profile, path))
      const isOther = fileId !== undefined && fileId !== record.profile[path]
      if (isOther)
        return [
          wrong(
            `findings.${index}.file_id`,
            'The field does not have this file. Send the ID of a file in the field.',
          ),
        ]
      return check(`findings.${index}.path`, canAsk || !asks, isKnown)
    }),
  ]
}
