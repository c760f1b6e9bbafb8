/** Rules for the effect of each command and fact on a KYB application, and for the resulting events. */

import { applicantActor } from '../access/access.ts'
import type { ReviewPolicy } from '../access/review-policy.ts'
import type { Problem } from '../base/errors.ts'
import type { FileDetails, Side } from '../base/file.ts'
import { needsSecondOperator } from '../decision/confirmation.ts'
import {
  type Confirmation,
  type Correction,
  correctionsOf,
  type Decision,
  type Finding,
  findReasonProblem,
  findVersionProblem,
  missingRequest,
  NOTHING_TO_CORRECT,
  type Place,
  placesOf,
  type ReasonCode,
  type Reply,
  type Replying,
  withReply,
} from '../decision/decision.ts'
import {
  datedOf,
  formAfter,
  formApplying,
  type Later,
  type ProfileChange,
} from '../decision/profile-change.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { newestDay } from '../fields/values.ts'
import { type Screened, sameSubjects, screeningProblem } from '../screening/screening.ts'
import type { GatehouseEvent } from '../webhook/events.ts'
import {
  decideKyb,
  isKybEnded,
  type KybCommandKind,
  type KybFact,
  type KybState,
  kybWaitingOn,
  OUTCOME_OF,
  type ReviewOutcome,
} from './application.ts'
import {
  type BeneficiaryChecks,
  endedChecks,
  identifiedIn,
  mismatchedIn,
  verifiedIn,
} from './beneficiary-check.ts'
import {
  areSame,
  editContent,
  hasFile,
  isFieldPath,
  isOfRemovedPerson,
  type KybEdit,
  openCorrections,
  openReplies,
  WHOLE_APPLICATION,
} from './content.ts'
import type { KybContent } from './fields.ts'
import type { Form } from './form.ts'
import { beneficiaryPath, type Circumstances, currentlyDue } from './requirements.ts'
import { isPoliticallyExposed, risksOfCompany } from './risk.ts'
import { subjectsOfKyb } from './subjects.ts'

/** The latest decision of the review. */
interface Review {
  readonly outcome: ReviewOutcome
  readonly reasonCode: ReasonCode
  readonly clientComment: string | null
  /** All findings, for operators. The client sees only the findings of a request for changes. */
  readonly findings: readonly Finding[]
  /**
   * All requested corrections, including completed ones. A decision that an earlier version stored does not have them.
   */
  readonly places?: readonly Place[] | undefined
  readonly decidedAt: Date
}

/** The data of an application that commands read and change. */
export interface KybRecord extends Screened {
  readonly id: string
  readonly identificationId: string
  /** The client's own ID for the application. */
  readonly externalId: string
  readonly state: KybState
  /** The form with the fields of the application. */
  readonly form: Form
  /** The later versions of the profile to which the application can move. If absent, there are none. */
  readonly later?: readonly Later<Form>[]
  readonly content: KybContent
  readonly currentlyDue: readonly string[]
  readonly review: Review | null
  readonly corrections: readonly Correction[]
  /** The applicant's replies to the latest request for changes. */
  readonly replies: readonly Reply[]
  /** When the applicant last submitted the form. Null while the application waits on the client. */
  readonly submittedAt: Date | null
  /** The attached files, keyed by ID. */
  readonly files: ReadonlyMap<string, FileDetails>
  /** The IDs of attached files that cannot be opened. */
  readonly unreadable: ReadonlySet<string>
  /** The sides of identity cards that the files show, keyed by file. If absent, no file has a side. */
  readonly sides?: ReadonlyMap<string, Side>
  /** The checks of beneficiaries that have started. */
  readonly checks: BeneficiaryChecks
  /** The complete decision that awaits a second approval, or null. */
  readonly proposal: KybDecision | null
  /** The vault's rules for reviews. */
  readonly policy: ReviewPolicy
}

/** Returns the version to which an open application moves on a date, or null. */
export const futureOf = ({ state, later }: Pick<KybRecord, 'state' | 'later'>): Later<Form> | null =>
  isKybEnded(state) ? null : datedOf(later)

interface Submission {
  readonly kind: 'submit'
  /** The applicant's reply to a comment on the whole application. */
  readonly reply?: string | undefined
}

export type DecisionKind = Exclude<
  KybCommandKind,
  KybEdit['kind'] | Replying['kind'] | Submission['kind'] | ProfileChange['kind'] | Confirmation['kind']
>

export interface KybDecision extends Decision {
  readonly kind: DecisionKind
  /** The paths of the fields to change. */
  readonly fields?: readonly string[] | undefined
}

export type KybCommand = KybEdit | Replying | Submission | ProfileChange | KybDecision | Confirmation

type KybTransition<R> =
  | { readonly record: R; readonly events: readonly GatehouseEvent[] }
  | { readonly problems: readonly Problem[] }

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
  const [field] = currentlyDue(record.content, { ...circumstancesOf(record, now), verified }).filter(
    (path) => !record.currentlyDue.includes(path),
  )
  return field === undefined ? null : { code: 'requirements_due', field, message: UNDER_REVIEW }
}

const UNDER_REVIEW =
  'The verification of this person is under review. Approve it before you approve the application.'

/** Returns the outcome of the decision that the command makes or confirms. */
const outcomeOf = ({ proposal }: KybRecord, { kind }: KybCommand): ReviewOutcome | undefined =>
  OUTCOME_OF[kind === 'confirm' && proposal ? proposal.kind : kind]

/** Discards a pending decision, because the decision concerns an earlier version of the application. */
const withoutProposal = <R extends KybRecord>(record: R): R =>
  record.state.pending ? { ...record, state: { ...record.state, pending: null }, proposal: null } : record

const changed = <R extends KybRecord>(record: R, state: Partial<KybState>): R => ({
  ...record,
  state: { ...record.state, ...state, version: record.state.version + 1 },
})

/** Clears the submission time while the application waits on the client. */
const withSubmission = <R extends KybRecord>(record: R): R =>
  kybWaitingOn(record.state) === 'client' ? { ...record, submittedAt: null } : record

/**
 * Makes an application wait for its submission if the applicant has changed it. Changes to a submitted form that remains
 * complete need no second submission. Answers of a beneficiary, who does not submit the application, need none either.
 */
function withUnsubmitted<R extends KybRecord>(record: R, { actor }: Pick<TransitionContext, 'actor'>): R {
  const next = withSubmission(record)
  if (actor !== applicantActor(record.identificationId) || next.submittedAt !== null) return next
  return { ...next, state: { ...next.state, unsubmitted: true } }
}

/** Returns the circumstances outside the content that affect requirements. */
export const circumstancesOf = (
  {
    form,
    content,
    checks,
    unreadable,
    sides,
  }: Pick<KybRecord, 'form' | 'content' | 'checks' | 'unreadable' | 'sides'>,
  now: Date,
): Circumstances => ({
  form,
  verified: identifiedIn(content, checks),
  mismatched: mismatchedIn(content, checks),
  unreadable,
  ...(sides && { sides }),
  today: newestDay(now),
})

/** Returns the reasons why the application is a high risk. */
export const risksOfKyb = (record: Pick<KybRecord, 'content' | 'checks' | 'policy' | 'confirmedHits'>) =>
  risksOfCompany(
    record.content,
    {
      isPoliticallyExposed: isPoliticallyExposed(record.content),
      checks: record.content.beneficiaries.beneficiaries_list.flatMap(
        ({ external_id: id }) => record.checks.get(id) ?? [],
      ),
    },
    record,
  )

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

/**
 * Returns the application with another form. Determines the missing fields again, and drops the corrections of fields
 * that the form no longer has. Returns the same record if it has this form.
 */
function underForm<R extends KybRecord>(
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

/** Returns the application after the fact. Returns the same record if the fact changes nothing. */
export function transitionOnKybFact<R extends KybRecord>(
  record: R,
  fact: KybFact,
  now: Date,
): { readonly record: R; readonly events: readonly GatehouseEvent[] } {
  if (isKybEnded(record.state)) return { record, events: [] }
  const settled = withoutProposal(record)
  if (fact.kind === 'profile_applies') {
    return underForm(record, formApplying(record.later, now) ?? record.form, now)
  }
  if (fact.kind !== 'company_closed') return recheck(record, settled, fact, now)
  return { record: changed(settled, { status: 'abandoned' }), events: [] }
}

/**
 * Determines the missing fields again after a beneficiary's verification has changed or a file is lost. Resolves only
 * corrections of the identity document of a person whose verification now counts.
 */
function recheck<R extends KybRecord>(record: R, settled: R, fact: KybFact, now: Date) {
  const due = currentlyDue(record.content, circumstancesOf(record, now))
  const proved = [...identifiedIn(record.content, record.checks)].find((personId) =>
    fact.id.includes(record.checks.get(personId)?.id ?? fact.kind),
  )
  const corrections = record.corrections.filter(
    ({ path }) => !proved || path !== beneficiaryPath(proved, 'beneficiary_identification'),
  )
  const isSame = corrections.length === record.corrections.length
  // The check knows the birth date and the nationality, so the person is screened again.
  const screenedWith = proved ? null : record.screenedWith
  const isScreened = screenedWith === record.screenedWith
  if (isSame && isScreened && due.join() === record.currentlyDue.join()) return { record, events: [] }
  const completed = due.length === 0
  const correcting = isSame ? record.state.correcting : corrections.length > 0
  const next = withSubmission<R>({
    ...changed(settled, { completed, correcting }),
    currentlyDue: due,
    corrections,
    screenedWith,
  })
  return { record: next, events: progressEvents(record, next) }
}

const requirementsChanged = (application: KybRecord): GatehouseEvent => ({
  name: 'kyb_requirements_changed',
  attributes: {
    ...resource(application),
    profile_version: application.form.version,
    status: 'requirements_changed',
  },
})

type KybResource = Pick<KybRecord, 'id' | 'identificationId' | 'externalId' | 'state'>

/** Returns the events that a change by the applicant, the client or a fact causes. */
function progressEvents(before: KybRecord, after: KybRecord): GatehouseEvent[] {
  const isCompleted = after.state.completed && !before.state.completed
  const isBack = kybWaitingOn(before.state) === 'client' && kybWaitingOn(after.state) === 'operator'
  const isResubmitted = isBack && after.review?.outcome === 'revision_requested'
  return [
    ...(isCompleted ? [completedEvent(after)] : []),
    ...(isResubmitted ? [resubmittedEvent(after)] : []),
  ]
}

const resubmittedEvent = (application: KybResource): GatehouseEvent => ({
  name: 'kyb_resubmitted',
  attributes: { ...resource(application), status: 'resubmitted' },
})

/** Returns the event for an application that has all required data. It can occur when the application is created. */
export const completedEvent = (application: KybResource): GatehouseEvent => ({
  name: 'kyb_completed',
  attributes: { ...resource(application), status: 'completed' },
})

const resource = ({ id, identificationId, externalId, state }: KybResource) => ({
  kyb_uuid: id,
  external_id: externalId,
  identification_uuid: identificationId,
  version: state.version,
})

function decide<R extends KybRecord>(
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
function unknownPaths({ form, content }: KybRecord, { fields = [], findings = [] }: KybDecision): Problem[] {
  const wrong = (field: string, message: string): Problem => ({ code: 'invalid', field, message })
  const noField = 'The application has no field with this path. Send a field’s path.'
  return [
    ...fields.flatMap((path, index) =>
      isFieldPath(form, content, path) ? [] : [wrong(`fields.${index}`, noField)],
    ),
    ...findings.flatMap(({ path, fileId }, index) => {
      if (!isFieldPath(form, content, path)) return [wrong(`findings.${index}.path`, noField)]
      if (fileId === undefined || hasFile(content, path, fileId)) return []
      return [
        wrong(
          `findings.${index}.file_id`,
          'The field does not have this file. Send the ID of a file in the field.',
        ),
      ]
    }),
  ]
}
