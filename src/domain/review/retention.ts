/** Rules for how long personal data is kept, and for what prevents its erasure. */
import type { VaultScope } from '../access/grant.ts'
import type { Period } from '../base/page.ts'
import type { Entity } from '../entity/entity.ts'
import type { IdentificationStatus } from '../identification/identification.ts'

export interface Retained {
  readonly id: string
  readonly vaultId: string
  readonly status: string
  /**
   * When the identification was rejected or closed or its consent was withdrawn. Null if none of these has happened.
   */
  readonly concludedAt: Date | null
  /** When the retention expires, or null if the identification is not concluded. */
  readonly keptUntil: Date | null
  /** Whether `keptUntil` has passed by PostgreSQL's clock. */
  readonly isPast: boolean
  /** When an unfinished case becomes due if nothing changes, or null if the case is not unfinished. */
  readonly silentUntil: Date | null
  /** Whether `silentUntil` has passed, and the last reminder was sent in time if the vault sends emails. */
  readonly isSilent: boolean
  readonly legalHold: boolean
  readonly erasedAt: Date | null
  readonly kyb: { readonly id: string; readonly status: string } | null
  /** The identifications of the beneficiaries, which are retained and erased together with the application's. */
  readonly beneficiaryIds: readonly string[]
  readonly isOfBeneficiary: boolean
  readonly fileCount: number
  readonly internalHolds: number
}

export interface RetentionPeriods {
  /** The years after the conclusion. */
  readonly years: number
  /** The days without a change to an unfinished case. */
  readonly unfinishedDays: number
  /** Whether the deployment sends emails, so that a reminder precedes the erasure of an unfinished case. */
  readonly sendsEmails: boolean
}

/** An identification whose retention has expired, or which was unfinished for too long. */
export interface DueErasure {
  readonly id: string
  readonly vaultId: string
  readonly kybId: string | null
  readonly status: IdentificationStatus
  readonly dueSince: Date
  readonly isUnfinished: boolean
}

/** Selects due identifications. The period is that in which they became due. */
export interface DueFilter extends Period {
  readonly scope: VaultScope
  /** Selects only those with an application, or only those without one. */
  readonly kind?: Entity | undefined
}

export const RETENTION_BLOCKERS = [
  'not_found',
  'erased',
  'beneficiary',
  'legal_hold',
  'internal_hold',
  'unfinished',
  'not_reminded',
  'not_concluded',
  'retained',
] as const

/** Why an identification cannot be erased. `until` is when it is due if nothing changes. */
export interface RetentionBlocker {
  readonly code: (typeof RETENTION_BLOCKERS)[number]
  readonly until?: Date
}

/** Returns why the identification cannot be erased, or null if it can. */
export function retentionBlocker(retained: Retained | null): RetentionBlocker | null {
  if (!retained) return { code: 'not_found' }
  const { erasedAt, legalHold, concludedAt, keptUntil, isPast, silentUntil, isSilent, kyb } = retained
  if (erasedAt) return { code: 'erased', until: erasedAt }
  if (retained.isOfBeneficiary) return { code: 'beneficiary' }
  if (legalHold) return { code: 'legal_hold' }
  if (retained.internalHolds > 0) return { code: 'internal_hold' }
  if (silentUntil) {
    if (isSilent) return null
    return silentUntil > new Date() ? { code: 'unfinished', until: silentUntil } : { code: 'not_reminded' }
  }
  if (!concludedAt || !keptUntil || kyb?.status === 'open') return { code: 'not_concluded' }
  return isPast ? null : { code: 'retained', until: keptUntil }
}
