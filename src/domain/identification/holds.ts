/** Rules for holds, which block services of an identification's accounts. */

/** The services of every account. If all of them are blocked, the account is fully blocked. */
export const SERVICES = ['trades', 'fiat_payments', 'blockchain_payments', 'card_payments'] as const
/** All services. Only vaults with this feature have `internal_settlements`, which blocks then also cover. */
export const ALL_SERVICES = [...SERVICES, 'internal_settlements'] as const
export type Service = (typeof ALL_SERVICES)[number]

/** The owners of internal holds. Clients cannot place, see or lift them. */
export const INTERNAL_OWNERS = ['operator_operations', 'transaction_monitoring'] as const
export type InternalOwner = (typeof INTERNAL_OWNERS)[number]
/** The statuses of internal holds. A hold is `closing` until the workflow has lifted it. */
export const HOLD_STATUSES = ['open', 'closing', 'closed'] as const
export type HoldStatus = (typeof HOLD_STATUSES)[number]
/**
 * The owners of holds. `closure` means that the client has closed an approved identification. That hold is permanent.
 */
export const HOLD_OWNERS = ['client', 'closure', ...INTERNAL_OWNERS] as const
export type HoldOwner = (typeof HOLD_OWNERS)[number]

export const BLOCK_REASONS = [
  'client_request',
  'suspected_fraud',
  'account_takeover',
  'sanctions_match',
  'aml_review',
  'chargeback_risk',
  'terms_violation',
  'document_expired',
  'legal_order',
  'deceased',
  'other',
] as const
export type BlockReason = (typeof BLOCK_REASONS)[number]

/** An active hold. Its row contains the reason, the notes and the history. */
export interface Hold {
  readonly id: string
  readonly owner: HoldOwner
  readonly services: readonly Service[]
}

export const servicesOf = (internalSettlements: boolean): readonly Service[] =>
  internalSettlements ? ALL_SERVICES : SERVICES

const heldServices = (holds: readonly Hold[]): ReadonlySet<Service> =>
  new Set(holds.flatMap((hold) => hold.services))

/** Returns whether the holds together block all services that make an account fully blocked. */
export function isFullyHeld(holds: readonly Hold[]): boolean {
  const held = heldServices(holds)
  return SERVICES.every((service) => held.has(service))
}

export const isInternalOwner = (owner: HoldOwner): owner is InternalOwner =>
  (INTERNAL_OWNERS as readonly string[]).includes(owner)

export const isInternal = ({ owner }: Hold): boolean => isInternalOwner(owner)
