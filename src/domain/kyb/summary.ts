/**
 * Rules for the summary of an application, which lists show. It contains data of people and documents, so a
 * list decrypts only one value.
 */
import { isPoliticallyExposed } from '../decision/risk.ts'
import type { Progress } from '../progress.ts'
import { verifiedIn } from './beneficiary-check.ts'
import type { KybContent } from './fields.ts'
import { countDocuments } from './requirements.ts'
import type { KybRecord } from './transition.ts'

export interface Summary {
  /** The summary is valid only for this version, because processes of an earlier version do not update it. */
  readonly version: number
  readonly documents: Progress
  readonly isPoliticallyExposed: boolean
}

/**
 * The stored content, without beneficiaries, who have their own rows. Rows of earlier versions have no
 * summary.
 */
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
