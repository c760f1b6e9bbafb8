/** The life of an identification: how its verification moves, and the status that follows from it. */

export const VERIFICATIONS = ['initiated', 'attention', 'approved', 'rejected', 'closed'] as const
export type Verification = (typeof VERIFICATIONS)[number]

export const IDENTIFICATION_STATUSES = [...VERIFICATIONS, 'blocked'] as const
export type IdentificationStatus = (typeof IDENTIFICATION_STATUSES)[number]

export interface IdentificationState {
  readonly verification: Verification
  readonly version: number
}

/** Where a verification can go from each of its states, by whatever decides it. */
const MOVES: Record<Verification, readonly Verification[]> = {
  initiated: ['approved', 'attention', 'rejected', 'closed'],
  attention: ['approved', 'rejected', 'initiated'],
  approved: [],
  rejected: ['attention'],
  closed: [],
}

/** Something that has happened and is never refused; one that comes too late changes nothing. */
export interface IdentificationFact {
  readonly id: string
  readonly kind: 'kyb_processed'
  readonly outcome: 'approved' | 'rejected'
}

const OUTCOMES: readonly unknown[] = ['approved', 'rejected'] satisfies IdentificationFact['outcome'][]

const FACT_ID = /^[\w.-]{1,100}$/

/** The fact that a message states, or null when it states none: messages can be sent by hand. */
export function parseFact(message: unknown): IdentificationFact | null {
  if (typeof message !== 'object' || message === null) return null
  const { id, kind, outcome } = message as Record<string, unknown>
  const wellFormed = typeof id === 'string' && FACT_ID.test(id) && kind === 'kyb_processed'
  return wellFormed && OUTCOMES.includes(outcome) ? ({ id, kind, outcome } as IdentificationFact) : null
}

/** The verification after a fact, or null when the state does not let the fact change anything. */
export function settleFact(state: IdentificationState, fact: IdentificationFact): Verification | null {
  return MOVES[state.verification].includes(fact.outcome) ? fact.outcome : null
}

/** Derived, never assigned (design: status is a consequence of the verification). */
export const identificationStatus = (state: IdentificationState): IdentificationStatus => state.verification

export type Party = 'operator' | 'applicant' | 'nobody'

const WAITING: Record<Verification, Party> = {
  initiated: 'applicant',
  attention: 'operator',
  approved: 'nobody',
  rejected: 'nobody',
  closed: 'nobody',
}

export const identificationWaitingOn = (state: IdentificationState): Party => WAITING[state.verification]

/** Only one closed before its verification finished has ended; all others may be blocked or appealed. */
export const identificationEnded = (state: IdentificationState): boolean => state.verification === 'closed'
