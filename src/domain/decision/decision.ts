/** What a decision about an application or a verification says beside its outcome. */
import { operatorIdOf } from '../access/access.ts'
import type { Problem } from '../errors.ts'
import { isGiven } from '../kyb/values.ts'

export const REASON_CODES = [
  'complete',
  'documents_missing',
  'documents_unreadable',
  'information_mismatch',
  'sanctions_match',
  'high_risk',
  'prohibited_business',
  'other',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

/** Whether an outcome and its reason say the same: a client reads both. */
export const isFittingReason = (outcome: string, reason: ReasonCode): boolean =>
  reason === 'other' || (outcome === 'approved') === (reason === 'complete')

/** Returns the reasons that fit the outcome. */
export const fittingReasons = (outcome: string): readonly ReasonCode[] =>
  REASON_CODES.filter((reason) => isFittingReason(outcome, reason))

/** Returns the problem of a reason that contradicts the outcome, or null. The closing of a case has no outcome. */
export const findReasonProblem = (outcome: string | undefined, command: object): Problem | null => {
  const { reasonCode } = command as Partial<Decision>
  const isFit = outcome === undefined || reasonCode === undefined || isFittingReason(outcome, reasonCode)
  return isFit ? null : { code: 'reason_contradicts', field: 'reason_code' }
}

/** What an operator finds wrong with a field or a document. */
export const FINDING_CODES = [
  'missing',
  'unreadable',
  'incomplete',
  'expired',
  'mismatch',
  'not_accepted',
  'altered',
  'other',
] as const
type FindingCode = (typeof FINDING_CODES)[number]

export interface Finding {
  /** Of the field. */
  readonly path: string
  /** Which document of the field, where it has several. */
  readonly fileId?: string | undefined
  readonly code: FindingCode
  /** For the client, where the decision asks for something. */
  readonly comment?: string | undefined
}

/** One thing that is to be mended; `path` names a field, or the whole where none was named. */
export interface Correction {
  readonly path: string
  readonly fileId?: string | undefined
  readonly code: string
  readonly message: string | null
}

/** Characters of a reply. */
export const MAX_REPLY = 2_000

/** A correction that the applicant disputes: the value is correct, and the reply says why. */
export interface Reply extends Correction {
  readonly reply: string
}

/** The command of an applicant, or a client, who disputes a correction. */
export interface Replying {
  readonly kind: 'reply'
  readonly path: string
  /** Of the correction, if it names a document. */
  readonly fileId?: string | undefined
  readonly reply: string
}

export interface Answers {
  /** Neither changed nor disputed yet. */
  readonly corrections: readonly Correction[]
  readonly replies: readonly Reply[]
}

/** Returns the answers with the reply, which replaces an earlier one. Returns null if there is no such correction. */
export function withReply(
  { corrections, replies }: Answers,
  { path, fileId, reply }: Replying,
): Answers | null {
  const isMeant = (each: Correction) => each.path === path && each.fileId === fileId
  const isOther = (each: Correction) => !isMeant(each)
  const meant = [...corrections, ...replies].filter(isMeant)
  if (meant.length === 0) return null
  return {
    corrections: corrections.filter(isOther),
    replies: [...replies.filter(isOther), ...meant.map((each) => ({ ...each, reply }))],
  }
}

/** The problem of a reply to what is not to be corrected. */
export const NOTHING_TO_CORRECT: Problem = {
  code: 'invalid',
  field: 'path',
  message: 'No open correction has this path and file_id. Read requirements.errors.',
}

export interface Decision {
  /** What it was that was read and decided on; whatever is there, where it is left out. */
  readonly version?: number | undefined
  readonly reasonCode: ReasonCode
  readonly clientComment?: string | undefined
  /** No client ever sees it: it goes to the timeline alone. */
  readonly internalNote?: string | undefined
  /** Kept with the decision; a client sees those of a decision that asks for something. */
  readonly findings?: readonly Finding[] | undefined
}

/** A second operator's word on the decision that waits for one. */
export type Confirmation = Pick<Decision, 'version' | 'internalNote'> &
  ({ readonly kind: 'confirm'; readonly reasonCode: ReasonCode } | { readonly kind: 'withdraw' })

/** What is to be mended: each finding as it says, the other paths as the decision says. */
export function correctionsOf(
  { reasonCode, clientComment, findings = [] }: Decision,
  paths: readonly string[],
): Correction[] {
  const found = findings.map(({ comment = null, ...finding }) => ({ ...finding, message: comment }))
  const others = paths.filter((path) => !findings.some((finding) => finding.path === path))
  return [...found, ...others.map((path) => ({ path, code: reasonCode, message: clientComment ?? null }))]
}

/**
 * Returns the problem of an operator's decision that asks an applicant for changes and does not say which. The sandbox
 * may leave that out.
 */
export function missingRequest(
  { clientComment, findings = [] }: Decision,
  fields: readonly string[],
  actor: string,
): Problem | null {
  const isSaid = isGiven(clientComment) || findings.length + fields.length > 0
  if (isSaid || operatorIdOf(actor) === null) return null
  const message = 'Say what to change. Send a client_comment or at least one finding.'
  return { code: 'required', field: 'client_comment', message }
}

/** Why a command that names a version is refused: something else was decided on than what is there. */
export const findVersionProblem = (command: object, state: { readonly version: number }): Problem | null => {
  const { version = state.version } = command as Pick<Decision, 'version'>
  return version === state.version ? null : { code: 'stale_version' }
}
