/**
 * Rules for the summary of an application, which lists show. The summary contains the necessary data about people and
 * documents, so that a list decrypts only one value per application.
 */

import type { Progress } from '../base/progress.ts'
import { identifiedIn } from './beneficiary-check.ts'
import type { KybContent } from './fields.ts'
import type { KybRecord } from './record.ts'
import { countDocuments } from './requirements.ts'
import { isPoliticallyExposed } from './risk.ts'

interface Summary {
  /**
   * The version to which the summary belongs. The summary of another version is not valid, because processes of an
   * earlier Gatehouse version do not update it.
   */
  readonly version: number
  readonly documents: Progress
  readonly isPoliticallyExposed: boolean
}

/**
 * The stored content, without the beneficiaries, which have their own rows. Rows that an earlier version wrote have no
 * summary.
 */
export type SealedContent = KybContent & { readonly summary?: Summary }

export const summaryOf = ({
  form,
  state,
  content,
  checks,
  currentlyDue: due,
}: Pick<KybRecord, 'form' | 'state' | 'content' | 'checks' | 'currentlyDue'>): Summary => ({
  version: state.version,
  documents: countDocuments(content, { form, verified: identifiedIn(content, checks), due }),
  isPoliticallyExposed: isPoliticallyExposed(content),
})
