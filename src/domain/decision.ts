/** What a decision about an application or a verification says beside its outcome. */
import type { Problem } from './errors.ts'

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

/** One thing that is to be mended; `path` names a field, or the whole where none was named. */
export interface Correction {
  readonly path: string
  readonly code: string
  readonly message: string | null
}

export interface Decision {
  /** What it was that was read and decided on; whatever is there, where it is left out. */
  readonly version?: number | undefined
  readonly reasonCode: ReasonCode
  readonly clientComment?: string | undefined
  /** No client ever sees it: it goes to the timeline alone. */
  readonly internalNote?: string | undefined
}

/** Why a command that names a version is refused: something else was decided on than what is there. */
export const staleness = (command: object, state: { readonly version: number }): Problem | null => {
  const { version = state.version } = command as Pick<Decision, 'version'>
  return version === state.version ? null : { code: 'stale_version' }
}
