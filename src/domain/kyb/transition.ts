/** Rules for the effect of each command on a KYB application. */

import type { Problem } from '../base/errors.ts'
import { needsSecondOperator } from '../decision/confirmation.ts'
import {
  findReasonProblem,
  findVersionProblem,
  NOTHING_TO_CORRECT,
  type Replying,
  withReply,
} from '../decision/decision.ts'
import { formAfter } from '../decision/profile-change.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { sameSubjects, screeningProblem } from '../screening/screening.ts'
import {
  decideKyb,
  type KybCommandKind,
  type KybState,
  OUTCOME_OF,
  type ReviewOutcome,
} from './application.ts'
import { endedChecks, verifiedIn } from './beneficiary-check.ts'
import { changed, type KybTransition, underForm, withoutProposal, withUnsubmitted } from './change.ts'
import { areSame, isOfRemovedPerson, WHOLE_APPLICATION } from './content.ts'
import { openCorrections, openReplies } from './corrections.ts'
import { decide } from './decision.ts'
import { editContent, type KybEdit } from './edit.ts'
import { progressEvents } from './events.ts'
import {
  circumstancesOf,
  type KybCommand,
  type KybDecision,
  type KybRecord,
  risksOfKyb,
  type Submission,
} from './record.ts'
import { currentlyDue } from './requirements.ts'
import { subjectsOfKyb } from './subjects.ts'

/**
 * Returns the application after the command, or all problems. Does not change `record`, and returns it if an edit
 * changes nothing.
 */
export function transitionKyb<R extends KybRecord>(
  record: R,
  command: KybCommand,
  context: TransitionContext,
): KybTransition<R> {
  const stale = findVersionProblem(command, record.state)
  if (stale) return { problems: [stale] }
  const problems = [
    blockerOf(record, command.kind, context),
    findReasonProblem(outcomeOf(record, command), command),
  ].filter((problem) => problem !== null)
  if (problems.length > 0) return { problems }
  const settled = withoutProposal(record)
  switch (command.kind) {
    case 'patch':
    case 'attach':
    case 'detach':
      return edit(record, command, context)
    case 'reply':
      return reply(settled, command, context)
    case 'submit':
      return submit(record, command, context)
    case 'change_profile': {
      const form = formAfter(record, command)
      return 'problems' in form ? form : underForm(record, form, context.now)
    }
    case 'confirm':
      return confirm(record, context)
    case 'withdraw':
      return { record: changed(settled, {}), events: [] }
    default:
      return needsSecondOperator(command.kind, record.policy, risksOfKyb(record), context.actor)
        ? propose(record, command, context)
        : decide(settled, command, context)
  }
}

/** Returns the problem that prevents a command in the current state, or null. */
const blockerOf = (record: KybRecord, kind: KybCommandKind, { now }: Pick<TransitionContext, 'now'>) =>
  decideKyb(record.state, kind) ?? identityProblem(record, kind, now) ?? screeningProblem(record, kind)

/** Refuses an approval while the only proof of a person's identity is a verification that is under review. */
function identityProblem(record: KybRecord, kind: KybCommandKind, now: Date): Problem | null {
  if (kind !== 'approve') return null
  const verified = verifiedIn(record.content, record.checks)
  const known = new Set(record.currentlyDue)
  const [field] = currentlyDue(record.content, { ...circumstancesOf(record, now), verified }).filter(
    (path) => !known.has(path),
  )
  return field === undefined ? null : { code: 'requirements_due', field, message: UNDER_REVIEW }
}

const UNDER_REVIEW =
  'The verification of this person is under review. Approve it before you approve the application.'

/** Returns the outcome of the decision that the command makes or confirms. */
const outcomeOf = ({ proposal }: KybRecord, { kind }: KybCommand): ReviewOutcome | undefined =>
  OUTCOME_OF[kind === 'confirm' && proposal ? proposal.kind : kind]

/** Validates the complete decision, and then stores it until a second operator approves it. */
function propose<R extends KybRecord>(
  record: R,
  decision: KybDecision,
  context: TransitionContext,
): KybTransition<R> {
  const trial = decide(record, decision, context)
  if ('problems' in trial) return trial
  const kind = decision.kind === 'reject' ? 'reject' : 'approve'
  const pending = { kind, by: context.actor, since: context.now.toISOString() } as const
  return { record: changed({ ...record, proposal: decision }, { pending }), events: [] }
}

/** Applies the decision exactly as the first operator made it. */
function confirm<R extends KybRecord>(record: R, context: TransitionContext): KybTransition<R> {
  const { proposal, state } = record
  if (!proposal || !state.pending) return { problems: [{ code: 'no_decision_pending' }] }
  if (state.pending.by === context.actor) return { problems: [{ code: 'same_operator' }] }
  const settled = withoutProposal(record)
  const refusal = blockerOf(settled, proposal.kind, context)
  return refusal ? { problems: [refusal] } : decide(settled, proposal, context)
}

function edit<R extends KybRecord>(
  record: R,
  command: KybEdit,
  { newId, now, actor }: TransitionContext,
): KybTransition<R> {
  const edited = editContent(record.content, command, { form: record.form, uploaded: record.files, newId })
  if ('problems' in edited) return edited
  const ended = new Set(endedChecks(record.content, edited.content, record.checks))
  const checks = new Map([...record.checks].filter(([id]) => !ended.has(id)))
  const due = currentlyDue(edited.content, circumstancesOf({ ...record, ...edited, checks }, now))
  const change = { form: record.form, before: record.content, after: edited.content }
  const corrections = openCorrections(record.corrections, change)
  const replies = openReplies(record.replies, change)
  const [completed, correcting] = [due.length === 0, corrections.length > 0]
  const { state: before } = record
  // A change that changes nothing has no effect, so that decisions on this version remain valid.
  if (
    areSame(
      [edited.content, due, completed, correcting],
      [record.content, record.currentlyDue, before.completed, before.correcting],
    )
  )
    return { record, events: [] }
  const settled = withoutProposal(record)
  const state: KybState = { ...settled.state, completed, correcting, version: before.version + 1 }
  const isSame = sameSubjects(subjectsOfKyb(record), subjectsOfKyb({ ...edited, checks }))
  const screenedWith = isSame ? record.screenedWith : null
  const review = record.review && {
    ...record.review,
    findings: record.review.findings.filter(({ path }) => !isOfRemovedPerson(edited.content, path)),
  }
  const changed: R = {
    ...settled,
    state,
    content: edited.content,
    checks,
    currentlyDue: due,
    review,
    corrections,
    replies,
    screenedWith,
  }
  const next = withUnsubmitted(changed, { actor })
  return { record: next, events: progressEvents(record, next) }
}

function reply<R extends KybRecord>(
  record: R,
  command: Replying,
  context: TransitionContext,
): KybTransition<R> {
  const answers = withReply(record, command)
  if (!answers) return { problems: [NOTHING_TO_CORRECT] }
  const correcting = answers.corrections.length > 0
  const next = withUnsubmitted({ ...changed(record, { correcting }), ...answers }, context)
  return { record: next, events: progressEvents(record, next) }
}

/**
 * Submits the form, which resolves a comment on the whole application. Returns a problem if findings on fields are
 * open.
 */
function submit<R extends KybRecord>(
  record: R,
  { reply: text }: Submission,
  { now }: TransitionContext,
): KybTransition<R> {
  const unanswered = [...new Set(record.corrections.map(({ path }) => path))].filter(
    (path) => path !== WHOLE_APPLICATION,
  )
  if (unanswered.length > 0)
    return { problems: unanswered.map((field) => ({ code: 'requirements_due', field })) }
  const settled = record.corrections.length > 0 ? withoutProposal(record) : record
  const answers =
    text === undefined ? null : withReply(record, { kind: 'reply', path: WHOLE_APPLICATION, reply: text })
  const { replies } = answers ?? record
  const state = { correcting: false, unsubmitted: false }
  const next: R = { ...changed(settled, state), corrections: [], replies, submittedAt: now }
  return { record: next, events: progressEvents(record, next) }
}
