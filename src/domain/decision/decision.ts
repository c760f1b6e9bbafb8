/** Rules for decisions, with their reasons, findings, corrections and replies. */
import { operatorIdOf } from '../access/access.ts'
import type { Problem } from '../base/errors.ts'
import { isGiven } from '../fields/given.ts'

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

/**
 * Reasons for a request for changes. They exclude suspicions, because the applicant must not learn about them before the
 * decision.
 */
const DISCLOSED: readonly ReasonCode[] = [
  'documents_missing',
  'documents_unreadable',
  'information_mismatch',
  'other',
]
const REASONS_OF: Readonly<Record<string, readonly ReasonCode[]>> = {
  approved: ['complete', 'other'],
  revision_requested: DISCLOSED,
  initiated: DISCLOSED,
}
const REFUSING = REASON_CODES.filter((reason) => reason !== 'complete')

/** Returns whether the reason is consistent with the outcome. It must be, because clients see both. */
export const isFittingReason = (outcome: string, reason: ReasonCode): boolean =>
  (REASONS_OF[outcome] ?? REFUSING).includes(reason)

export const fittingReasons = (outcome: string): readonly ReasonCode[] =>
  REASON_CODES.filter((reason) => isFittingReason(outcome, reason))

/** The findings that suggest a reason for a request for changes. */
export const FINDINGS_OF_REASON: Partial<Record<ReasonCode, readonly FindingCode[]>> = {
  documents_missing: ['missing', 'incomplete'],
  documents_unreadable: ['unreadable'],
  information_mismatch: ['mismatch'],
}

/** Returns a problem if the reason contradicts the outcome, or null otherwise. Closing a case has no outcome. */
export const findReasonProblem = (outcome: string | undefined, command: object): Problem | null => {
  const { reasonCode } = command as Partial<Decision>
  const isFit = outcome === undefined || reasonCode === undefined || isFittingReason(outcome, reasonCode)
  return isFit ? null : { code: 'reason_contradicts', field: 'reason_code' }
}

/** The problems that an operator can find in a field or document. */
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
export type FindingCode = (typeof FINDING_CODES)[number]

export interface Finding {
  readonly path: string
  /** The ID of the document, if the finding is about one document of the field. */
  readonly fileId?: string | undefined
  readonly code: FindingCode
  /** The comment for the client, who sees it only if the decision requests changes. */
  readonly comment?: string | undefined
}

/**
 * A requested correction. `path` is the path of a field. If the request names no field, `path` stands for the whole
 * application.
 */
export interface Correction {
  readonly path: string
  readonly fileId?: string | undefined
  readonly code: string
  readonly message: string | null
}

/** A field or file that a finding can name. The ID of the file is null or absent if the finding is about the field. */
export interface FlagPlace {
  readonly path: string
  readonly fileId?: string | null | undefined
}

/** The field of a correction, and the document if the correction is about one. */
export type Place = Pick<Correction, 'path' | 'fileId'>

export const placesOf = (corrections: readonly Correction[]): Place[] =>
  corrections.map(({ path, fileId }) => ({ path, fileId }))

/** The maximum length of a reply in characters. */
export const MAX_REPLY = 2_000

/** A correction that the applicant disputes. The reply explains why the value is correct. */
export interface Reply extends Correction {
  readonly reply: string
}

/** The command of an applicant or client who disputes a correction. */
export interface Replying {
  readonly kind: 'reply'
  readonly path: string
  /** The ID of the document, if the correction names one. */
  readonly fileId?: string | undefined
  readonly reply: string
}

export interface Answers {
  /** The corrections that are neither complete nor disputed. */
  readonly corrections: readonly Correction[]
  readonly replies: readonly Reply[]
}

/**
 * Adds a reply, which replaces any earlier reply to the same correction. Returns null if there is no such correction.
 */
export function withReply(
  { corrections, replies }: Answers,
  { path, fileId, reply }: Replying,
): Answers | null {
  const isAddressed = (each: Correction) => each.path === path && each.fileId === fileId
  const isOther = (each: Correction) => !isAddressed(each)
  const addressed = [...corrections, ...replies].filter(isAddressed)
  if (addressed.length === 0) return null
  return {
    corrections: corrections.filter(isOther),
    replies: [...replies.filter(isOther), ...addressed.map((each) => ({ ...each, reply }))],
  }
}

/** The problem that is returned if a reply belongs to no open correction. */
export const NOTHING_TO_CORRECT: Problem = {
  code: 'invalid',
  field: 'path',
  message:
    'No open correction has this path and file_id. Send the path and file_id of an entry in requirements.errors.',
}

/** Returns the problem of a finding that names a file which its field does not have. */
export const unknownFile = (index: number): Problem => ({
  code: 'invalid',
  field: `findings.${index}.file_id`,
  message: 'The field does not have this file. Send the ID of a file in the field.',
})

export interface Decision {
  /** The version that the operator read. If it is absent, the decision applies to the current version. */
  readonly version?: number | undefined
  readonly reasonCode: ReasonCode
  readonly clientComment?: string | undefined
  /** A timeline note that only operators see. */
  readonly internalNote?: string | undefined
  /** The findings, which are stored with the decision. Clients see them only if the decision requests changes. */
  readonly findings?: readonly Finding[] | undefined
}

/** A second operator's response to a pending decision. */
export type Confirmation = Pick<Decision, 'version' | 'internalNote'> &
  ({ readonly kind: 'confirm'; readonly reasonCode: ReasonCode } | { readonly kind: 'withdraw' })

/**
 * Returns the corrections that a request for changes requires: one for each finding, and one with the decision's reason
 * for each remaining path.
 */
export function correctionsOf(
  { reasonCode, clientComment, findings = [] }: Decision,
  paths: readonly string[],
): Correction[] {
  const found = findings.map(({ comment = null, ...finding }) => ({ ...finding, message: comment }))
  const others = paths.filter((path) => !findings.some((finding) => finding.path === path))
  return [...found, ...others.map((path) => ({ path, code: reasonCode, message: clientComment ?? null }))]
}

/**
 * Returns a problem if an operator's request for changes names no change, or null otherwise. The sandbox may request
 * changes without naming any.
 */
export function missingRequest(
  { clientComment, findings = [] }: Decision,
  fields: readonly string[],
  actor: string,
): Problem | null {
  const namesChange = isGiven(clientComment) || findings.length + fields.length > 0
  if (namesChange || operatorIdOf(actor) === null) return null
  const message = 'The request does not state what to change. Send a client_comment or at least one finding.'
  return { code: 'required', field: 'client_comment', message }
}

/** Returns `stale_version` if the command names a version other than the current one, or null otherwise. */
export const findVersionProblem = (command: object, state: { readonly version: number }): Problem | null => {
  const { version = state.version } = command as Pick<Decision, 'version'>
  return version === state.version ? null : { code: 'stale_version' }
}
