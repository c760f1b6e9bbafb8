/** Rules that all changes of a KYB application follow. */
import { applicantActor } from '../access/access.ts'
import type { Problem } from '../base/errors.ts'
import type { Place } from '../decision/decision.ts'
import type { TransitionContext } from '../decision/transition.ts'
import type { GatehouseEvent } from '../webhook/events.ts'
import { type KybState, kybWaitingOn } from './application.ts'
import { isFieldPath, WHOLE_APPLICATION } from './content.ts'
import { progressEvents, requirementsChanged } from './events.ts'
import type { Form } from './form.ts'
import { circumstancesOf, type KybRecord } from './record.ts'
import { currentlyDue } from './requirements.ts'

export type KybTransition<R> =
  | { readonly record: R; readonly events: readonly GatehouseEvent[] }
  | { readonly problems: readonly Problem[] }

/** Discards a pending decision, because the decision concerns an earlier version of the application. */
export const withoutProposal = <R extends KybRecord>(record: R): R =>
  record.state.pending ? { ...record, state: { ...record.state, pending: null }, proposal: null } : record

export const changed = <R extends KybRecord>(record: R, state: Partial<KybState>): R => ({
  ...record,
  state: { ...record.state, ...state, version: record.state.version + 1 },
})

/** Clears the submission time while the application waits on the client. */
export const withSubmission = <R extends KybRecord>(record: R): R =>
  kybWaitingOn(record.state) === 'client' ? { ...record, submittedAt: null } : record

/**
 * Makes an application wait for its submission if the applicant has changed it. Changes to a submitted form that remains
 * complete need no second submission. Answers of a beneficiary, who does not submit the application, need none either.
 */
export function withUnsubmitted<R extends KybRecord>(record: R, { actor }: Pick<TransitionContext, 'actor'>) {
  const next = withSubmission(record)
  if (actor !== applicantActor(record.identificationId) || next.submittedAt !== null) return next
  return { ...next, state: { ...next.state, unsubmitted: true } }
}

/**
 * Returns the application with another form. Determines the missing fields again, and drops the corrections of fields
 * that the form no longer has. Returns the same record if it has this form.
 */
export function underForm<R extends KybRecord>(
  record: R,
  form: Form,
  now: Date,
): { readonly record: R; readonly events: readonly GatehouseEvent[] } {
  if (form === record.form) return { record, events: [] }
  const settled = withoutProposal(record)
  const due = currentlyDue(record.content, circumstancesOf({ ...record, form }, now))
  const exists = ({ path }: Place) => path === WHOLE_APPLICATION || isFieldPath(form, record.content, path)
  const corrections = record.corrections.filter(exists)
  const state = { completed: due.length === 0, correcting: corrections.length > 0 }
  const next = withSubmission<R>({
    ...changed(settled, state),
    form,
    currentlyDue: due,
    corrections,
    replies: record.replies.filter(exists),
  })
  return { record: next, events: [requirementsChanged(next), ...progressEvents(record, next)] }
}
