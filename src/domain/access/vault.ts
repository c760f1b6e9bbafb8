/** Rules for vaults: the settings of one client's space. */
import type { FourEyes } from '../decision/confirmation.ts'
import type { Language } from './branding.ts'

export interface Vault {
  readonly id: string
  readonly name: string
  readonly importEnabled: boolean
  readonly internalSettlementsEnabled: boolean
  /** Whether webhook requests contain the `traceparent` header. */
  readonly sendTraceparent: boolean
  /** The decisions that need a second approval. */
  readonly fourEyes: FourEyes[]
  /** ISO 3166-1 alpha-2 codes. */
  readonly highRiskCountries: string[]
  /** The number of hours, on working days, within which a waiting case should be decided. */
  readonly reviewTargetHours: number
  /** A decimal fraction. */
  readonly tradingFee: number
  /** SHA-256 in hexadecimal, or null if the vault has no logo. */
  readonly logoHash: string | null
  /** In the format #rrggbb. */
  readonly accentColor: string | null
  readonly accentColorDark: string | null
  readonly supportEmail: string | null
  readonly privacyUrl: string | null
  readonly languages: Language[]
  readonly defaultLanguage: Language
  readonly createdAt: Date
}

export interface VaultWithLogo extends Vault {
  /** A PNG file. */
  readonly logo: Buffer | null
}

type Settings = Omit<Vault, 'id' | 'logoHash' | 'createdAt'> & Pick<VaultWithLogo, 'logo'>

/** Undefined settings do not change. */
export type VaultChanges = { readonly [K in keyof Settings]?: Settings[K] | undefined }
