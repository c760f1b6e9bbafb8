/** Rules for changes to an identification that both commands and facts make. */

import type { Problem } from '../base/errors.ts'
import { unixSeconds } from '../base/unix-time.ts'
import { correctionsOf, type Decision, placesOf } from '../decision/decision.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { sameSubjects } from '../screening/screening.ts'
import type { GatehouseEvent } from '../webhook/events.ts'
import { accountEvents, serviceEvents, statusEvents } from './events.ts'
import { type Hold, type HoldOwner, isInternal, SERVICES, type Service, servicesOf } from './holds.ts'
import { isFilledIn, MOVES, type MoveKind, type Outcome } from './identification.ts'
import { type ApplicantForm, fillIn, formOf, isPersonFile, pathsOf } from './person-form.ts'
import type { IdentificationRecord, IdentificationReview, Verifier } from './record.ts'
import { subjectsOfIdentification } from './subjects.ts'

interface IdentificationTransition<R> {
  readonly record: R
  readonly events: readonly GatehouseEvent[]
}

export type Transitioned<R> = IdentificationTransition<R> | { readonly problems: readonly Problem[] }

/** Returns whether both versions of an identification are screened with the same data. */
export const haveSameSubjects = (before: IdentificationRecord, after: IdentificationRecord): boolean =>
  sameSubjects(
    subjectsOfIdentification(before.kind, before.profile),
    subjectsOfIdentification(after.kind, after.profile),
  )

/**
 * Completes a change. Increments the version, and derives the events from both states. Does nothing if the records are
 * the same.
 */
export function changed<R extends IdentificationRecord>(before: R, after: R): IdentificationTransition<R> {
  if (after === before) return { record: before, events: [] }
  const record = {
    ...after,
    state: { ...after.state, version: before.state.version + 1 },
    screenedWith: haveSameSubjects(before, after) ? after.screenedWith : null,
  }
  const events = [
    ...statusEvents(before, record),
    ...accountEvents(before, record),
    ...serviceEvents(before, record),
  ]
  return { record, events }
}

/** Discards a pending decision, because the decision concerns an earlier version of the identification. */
export function withoutProposal<R extends IdentificationRecord>(record: R): R {
  const { pending, waitingOn } = record.state
  if (!pending) return record
  // A proposal to lift a hold changed the acting party only if no one had to act at the time.
  const isTaken = pending.kind !== 'close_case' || pending.waitedOn === 'nobody'
  const state = { ...record.state, waitingOn: isTaken ? pending.waitedOn : waitingOn, pending: null }
  return { ...record, state, proposal: null }
}

export const withMove = <R extends IdentificationRecord>(record: R, kind: MoveKind): R => {
  const { to: verification, waitingOn: usual } = MOVES[kind]
  const waitingOn = kind === 'request_information' && isFilledIn(record) ? 'applicant' : usual
  return { ...record, state: { ...record.state, verification, waitingOn } }
}

/**
 * Returns the verification with the form of another version of the vault's profile. Drops the documents and corrections
 * of fields that the form no longer has. Returns the same record if it has this form.
 */
export function underForm<R extends IdentificationRecord>(record: R, form: ApplicantForm): R {
  const before = formOf(record)
  if (form === before) return record
  const { profile, review } = record
  // A path can belong to a document in one version and to a text in the other.
  const lost = Object.keys(profile).filter((name) => isPersonFile(name, before) !== isPersonFile(name, form))
  const paths = pathsOf(form)
  const exists = ({ path }: { readonly path: string }) => paths.includes(path)
  return {
    ...record,
    form,
    profile: fillIn(profile, Object.fromEntries(lost.map((name) => [name, null]))),
    review: review && {
      ...review,
      corrections: review.corrections.filter(exists),
      replies: review.replies.filter(exists),
    },
  }
}

/** Returns the new review. It keeps the replies until the next request for changes. */
export function reviewOf(
  { review: before, profile }: Pick<IdentificationRecord, 'review' | 'profile'>,
  outcome: Outcome,
  decision: Decision,
  fields: readonly string[],
  now: Date,
  by: Verifier,
): IdentificationReview {
  const { reasonCode, clientComment = null, findings = [] } = decision
  const decidedAt = unixSeconds(now)
  const isRequest = outcome === 'initiated'
  const corrections = isRequest ? correctionsOf(decision, fields) : []
  const replies = isRequest ? [] : (before?.replies ?? [])
  const verified = outcome === 'approved' ? { verified: profile } : {}
  const more = isRequest ? { places: placesOf(corrections) } : verified
  return { outcome, reasonCode, clientComment, findings, decidedAt, corrections, replies, by, ...more }
}

/** Returns whether the decision requests changes, even if the applicant has already made them. */
export const requestsChanges = (review: IdentificationReview | null): boolean =>
  review?.outcome === 'initiated' && (review.places ?? review.corrections).length > 0

export const withHold = <R extends IdentificationRecord>(
  record: R,
  id: string,
  owner: HoldOwner,
  services: readonly Service[] = servicesOf(record.internalSettlements),
): R => {
  const hold: Hold = { id, owner, services }
  return { ...record, state: { ...record.state, holds: [...record.state.holds, hold] } }
}

/** The maximum number of holds. It limits the size of the state, which the workflow keeps. */
export const MAX_HOLDS = 100

/** Closes the identification if its verification is not finished. Otherwise, blocks it permanently. */
export function close<R extends IdentificationRecord>(record: R, { newId }: TransitionContext): R {
  if (record.state.verification === 'approved') return withHold(record, newId(), 'closure', SERVICES)
  return { ...record, state: { ...record.state, verification: 'closed', waitingOn: 'nobody' } }
}

/** Adds the client's hold, unless the client already has one. */
export function block<R extends IdentificationRecord>(record: R, holdId: string): R {
  const own = record.state.holds.some((hold) => !isInternal(hold))
  return own ? record : withHold(record, holdId, 'client')
}

/** Removes an internal hold. Returns the same record if there is no such hold. */
export function withoutHold<R extends IdentificationRecord>(record: R, caseId: string): R {
  const { state } = record
  const holds = state.holds.filter((hold) => !(hold.id === caseId && isInternal(hold)))
  return holds.length === state.holds.length ? record : { ...record, state: { ...state, holds } }
}
