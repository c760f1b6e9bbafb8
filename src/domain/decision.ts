/** What a decision about an application or a verification says beside its outcome. */

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
  readonly reasonCode: ReasonCode
  readonly clientComment?: string | undefined
  /** No client ever sees it: it goes to the timeline alone. */
  readonly internalNote?: string | undefined
}
