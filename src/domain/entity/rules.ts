/** Maps each kind of entity to its rules, so that decisions, commands and pages need no branch for the kind. */
import type { Problem } from '../base/errors.ts'
import type { FlagPlace } from '../decision/decision.ts'
import type { Applied, TransitionContext } from '../decision/transition.ts'
import { reviewOf } from '../identification/change.ts'
import { canFlag as canFlagOfPerson } from '../identification/decision.ts'
import {
  decideIdentification,
  identificationStatus,
  isIdentificationEnded,
  MOVES,
  moveKindOf,
  type Outcome,
  offeredMoves,
} from '../identification/identification.ts'
import type {
  DecidedIdentification,
  Identification,
  IdentificationDecision,
} from '../identification/record.ts'
import { transitionIdentification } from '../identification/transition.ts'
import {
  DECISION_OF,
  decideKyb,
  isKybEnded,
  kybWaitingOn,
  OUTCOME_OF,
  offeredOutcomes,
  type ReviewOutcome,
} from '../kyb/application.ts'
import { canAccept, canFlag } from '../kyb/content.ts'
import type { KybApplication, KybDecision } from '../kyb/record.ts'
import { transitionKyb } from '../kyb/transition.ts'
import type { Commands, Entity, States } from './entity.ts'

export interface Records {
  kyb: KybApplication
  identification: DecidedIdentification
}

interface Decisions {
  kyb: KybDecision
  identification: IdentificationDecision
}

/** The outcomes that operators can choose for each kind of entity. */
export interface Outcomes {
  kyb: ReviewOutcome
  identification: Outcome
}

/** A decision with its outcome instead of its command. */
export type Decided<E extends Entity = Entity> = Omit<Decisions[E], 'kind'> & {
  readonly outcome: Outcomes[E]
}

export interface Rules<E extends Entity> {
  /** Returns why the state forbids the command, or null if the state allows it. */
  decide(state: States[E], kind: Commands[E]['kind']): Problem | null
  transition(
    record: Records[E],
    command: Commands[E],
    context: TransitionContext,
  ): { readonly record: Records[E] } | { readonly problems: readonly Problem[] }
  /** Returns the record as the command left it, even if others followed. */
  after(applied: Applied<Commands[E], States[E]>, now: Records[E]): Records[E]
  ended(state: States[E]): boolean
  status(state: States[E]): string
  waitingOn(state: States[E]): string
  /** Returns the outcomes that an operator can choose now. */
  offered(state: States[E]): readonly Outcomes[E][]
  commandOf(outcome: Outcomes[E]): Decisions[E]['kind']
  /** Returns whether operators can accept or flag the field, or the file in it. */
  canFlag(record: Records[E], place: FlagPlace): boolean
  /** Returns whether the place can be accepted, if it can be flagged. */
  canAccept(record: Records[E], place: FlagPlace): boolean
}

/** Returns the application after the command. Data that the command does not determine is current. */
function applicationAfter(
  { command, state, appliedAt }: Applied<Commands['kyb'], States['kyb']>,
  now: KybApplication,
): KybApplication {
  if (state.version === now.state.version) return now
  const left = { ...now, state, updatedAt: appliedAt }
  const outcome = OUTCOME_OF[command.kind]
  if (!outcome) return left
  const decision = command as KybDecision
  if (state.pending) return { ...left, proposal: decision }
  const { reasonCode, clientComment = null, findings = [] } = decision
  return { ...left, review: { outcome, reasonCode, clientComment, findings, decidedAt: appliedAt } }
}

/** Returns the identification after the command. Data that the command does not determine is current. */
function identificationAfter(
  { command, state, appliedAt }: Applied<Commands['identification'], States['identification']>,
  now: Identification,
): Identification {
  if (state.version === now.state.version) return now
  const left = { ...now, state, updatedAt: appliedAt }
  if (command.kind === 'edit_profile') {
    const { name, surname } = command.changes
    return { ...left, name: name ?? now.name, surname: surname ?? now.surname }
  }
  if (!isDecision(command)) return left
  if (state.pending) return { ...left, proposal: command }
  const { kind, fields = [], ...decision } = command
  return { ...left, review: reviewOf(now, MOVES[kind].to, decision, fields, appliedAt, 'operator') }
}

const isDecision = (command: Commands['identification']): command is IdentificationDecision =>
  Object.hasOwn(MOVES, command.kind)

export const RULES: { readonly [E in Entity]: Rules<E> } = {
  kyb: {
    decide: decideKyb,
    transition: transitionKyb,
    after: applicationAfter,
    ended: isKybEnded,
    status: ({ status }) => status,
    waitingOn: kybWaitingOn,
    offered: offeredOutcomes,
    commandOf: (outcome) => DECISION_OF[outcome],
    canFlag,
    canAccept,
  },
  identification: {
    decide: decideIdentification,
    transition: transitionIdentification,
    after: (applied, now) => ({ ...now, ...identificationAfter(applied, now) }),
    ended: isIdentificationEnded,
    status: identificationStatus,
    waitingOn: ({ waitingOn }) => waitingOn,
    offered: offeredMoves,
    commandOf: moveKindOf,
    canFlag: canFlagOfPerson,
    canAccept: () => true,
  },
}

export const commandFor = <E extends Entity>(entity: E, { outcome, ...decision }: Decided<E>): Commands[E] =>
  ({ kind: RULES[entity].commandOf(outcome), ...decision }) as Commands[E]
