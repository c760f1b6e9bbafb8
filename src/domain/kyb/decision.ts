/** Rules for decisions on a KYB application, and for the fields and files that they can name. */
import type { Problem } from '../base/errors.ts'
import { correctionsOf, missingRequest, placesOf, unknownFile } from '../decision/decision.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { OUTCOME_OF, type ReviewOutcome } from './application.ts'
import { type KybTransition, withSubmission } from './change.ts'
import { canFlag, WHOLE_APPLICATION } from './content.ts'
import { resource } from './events.ts'
import type { KybDecision, KybRecord } from './record.ts'

export function decide<R extends KybRecord>(
  record: R,
  decision: KybDecision,
  { now, actor }: TransitionContext,
): KybTransition<R> {
  const unknown = unknownPaths(record, decision)
  if (unknown.length > 0) return { problems: unknown }
  const { kind, reasonCode, clientComment = null, fields = [], findings = [] } = decision
  const outcome = OUTCOME_OF[kind] as ReviewOutcome
  const again = outcome === 'revision_requested'
  const missing = again ? missingRequest(decision, fields, actor) : null
  if (missing) return { problems: [missing] }
  const paths = fields.length + findings.length > 0 ? fields : [WHOLE_APPLICATION]
  const corrections = again ? correctionsOf(decision, paths) : []
  const places = again ? placesOf(corrections) : undefined
  const next: R = withSubmission({
    ...record,
    state: {
      ...record.state,
      status: again ? 'open' : 'processed',
      correcting: again,
      version: record.state.version + 1,
    },
    review: { outcome, reasonCode, clientComment, findings, places, decidedAt: now },
    corrections,
    replies: again ? [] : record.replies,
  })
  const attributes = { ...resource(next), reason_code: reasonCode }
  return {
    record: next,
    events: again
      ? [{ name: 'kyb_revision_requested', attributes: { ...attributes, status: 'revision_requested' } }]
      : [{ name: 'kyb_processed', attributes: { ...attributes, outcome, status: 'processed' } }],
  }
}

/** Returns a problem for each field or file in the decision that the application does not contain. */
function unknownPaths(record: KybRecord, { fields = [], findings = [] }: KybDecision): Problem[] {
  const wrong = (field: string, message: string): Problem => ({ code: 'invalid', field, message })
  const noField = 'The application has no field with this path. Send a field’s path.'
  return [
    ...fields.flatMap((path, index) =>
      canFlag(record, { path }) ? [] : [wrong(`fields.${index}`, noField)],
    ),
    ...findings.flatMap(({ path, fileId }, index) => {
      if (!canFlag(record, { path })) return [wrong(`findings.${index}.path`, noField)]
      return canFlag(record, { path, fileId }) ? [] : [unknownFile(index)]
    }),
  ]
}
