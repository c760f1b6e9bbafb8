/** Rules for what a vault's own users see of their cases in lists. */
import type { IdentificationParty } from '../identification/identification.ts'
import type { DetailedEntry } from './queue.ts'

/** The parties that act next. Clients do not see which step of the review a case is in. */
export type Turn = 'client' | 'applicant' | 'review'

const TURNS: Readonly<Record<IdentificationParty, Turn | null>> = {
  client: 'client',
  applicant: 'applicant',
  operator: 'review',
  provider: 'review',
  nobody: null,
}

/** Returns the party that acts next, or null if no one has to act. */
export const turnOf = (waitingOn: IdentificationParty): Turn | null => TURNS[waitingOn]

/** The facts about a case that only lists for clients show. */
export interface ClientFacts {
  /** The paths of the company's missing requirements. */
  readonly due: readonly string[]
  /** When the applicant's link expires, or null if there is none. */
  readonly linkExpiresAt: Date | null
  /** Whether the mail server did not accept the newest email to the applicant. */
  readonly isUndelivered: boolean
}

export const NO_FACTS: ClientFacts = { due: [], linkExpiresAt: null, isUndelivered: false }

/** A case without risks, screening hits, duplicates, assignments and proposed decisions. */
export interface ClientCase
  extends ClientFacts,
    Pick<DetailedEntry, 'kind' | 'id' | 'title' | 'country' | 'outcome' | 'waitingSince'> {
  readonly turn: Turn | null
}

export function clientCase(
  { kind, id, title, country, outcome, waitingOn, waitingSince }: DetailedEntry,
  facts: ClientFacts,
): ClientCase {
  const turn = turnOf(waitingOn)
  const isOpen = turn === 'client' || turn === 'applicant'
  return { kind, id, title, country, outcome, waitingSince, turn, ...(isOpen ? facts : NO_FACTS) }
}
