/** Rules for what a vault's own users see of their cases in lists. */
import type { Answers } from '../decision/decision.ts'
import { nextParty } from '../decision/review-progress.ts'
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
export const turnOf = (waitingOn: IdentificationParty, undeliveredAt: Date | null = null): Turn | null =>
  TURNS[nextParty(waitingOn, undeliveredAt)]

interface Waiting {
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  readonly undeliveredAt: Date | null
}

/** Returns since when it is the turn of the party that acts next. */
export const turnSince = ({ waitingOn, waitingSince, undeliveredAt }: Waiting): Date =>
  undeliveredAt && nextParty(waitingOn, undeliveredAt) !== waitingOn ? undeliveredAt : waitingSince

/** The facts about a case that only lists for clients show. */
export interface ClientFacts {
  /** The paths of the company's missing requirements. */
  readonly due: readonly string[]
  /** When the applicant's link expires, or null if there is none. */
  readonly linkExpiresAt: Date | null
  /** When the newest email to the applicant failed, or null if it did not. */
  readonly undeliveredAt: Date | null
  /** The latest request for changes, or null if there is none. */
  readonly request: ClientRequest | null
}

interface ClientRequest {
  readonly comment: string | null
  /** The paths of the open corrections. */
  readonly paths: readonly string[]
}

/** Returns the comment and the open corrections. A request without a comment has that of its first correction. */
export const clientRequest = ({
  clientComment,
  corrections,
}: Pick<Answers, 'corrections'> & { readonly clientComment: string | null }): ClientRequest => ({
  comment: clientComment ?? corrections.find(({ message }) => message)?.message ?? null,
  paths: [...new Set(corrections.map(({ path }) => path))],
})

export const NO_FACTS: ClientFacts = { due: [], linkExpiresAt: null, undeliveredAt: null, request: null }

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
  const { undeliveredAt } = facts
  const turn = turnOf(waitingOn, undeliveredAt)
  const isOpen = turn === 'client' || turn === 'applicant'
  return {
    kind,
    id,
    title,
    country,
    outcome,
    turn,
    waitingSince: turnSince({ waitingOn, waitingSince, undeliveredAt }),
    ...(isOpen ? facts : NO_FACTS),
  }
}
