/** Rules for the summary of an application: what lists show of its people and documents, to decrypt one value only. */
import { isPoliticallyExposed } from '../decision/risk.ts'
import type { Progress } from '../progress.ts'
import { verifiedIn } from './beneficiary-check.ts'
import type { KybContent } from './fields.ts'
import { countDocuments } from './requirements.ts'
import type { KybRecord } from './transition.ts'

export interface Summary {
  /** Processes of an earlier version change the content and keep the summary, so it counts only for this version. */
  readonly version: number
  readonly documents: Progress
  readonly isPoliticallyExposed: boolean
}

/** The stored content. Beneficiaries have their own rows, and rows of earlier versions have no summary. */
export type SealedContent = KybContent & { readonly summary?: Summary }

export const summaryOf = ({
  state,
  content,
  checks,
  currentlyDue: due,
}: Pick<KybRecord, 'state' | 'content' | 'checks' | 'currentlyDue'>): Summary => ({
  version: state.version,
  documents: countDocuments(content, { verified: verifiedIn(content, checks), due }),
  isPoliticallyExposed: isPoliticallyExposed(content),
})
