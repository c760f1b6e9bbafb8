/** Rules for vaults. A vault contains the settings and the data of one client. */

import type { Language } from '../base/language.ts'
import type { FourEyes } from './review-policy.ts'

export interface Vault {
  readonly id: string
  readonly name: string
  readonly importEnabled: boolean
  readonly internalSettlementsEnabled: boolean
  /** Whether webhook requests contain the `traceparent` header. */
  readonly sendTraceparent: boolean
  readonly fourEyes: FourEyes[]
  /** The countries with a high risk, as ISO 3166-1 alpha-2 codes. */
  readonly highRiskCountries: string[]
  /** The number of hours, on working days, within which a waiting case should be decided. */
  readonly reviewTargetHours: number
  /** The trading fee, as a decimal fraction. */
  readonly tradingFee: number
  /** The SHA-256 of the logo in hexadecimal, or null if the vault has no logo. */
  readonly logoHash: string | null
  /** The accent colour in the format #rrggbb, or null for the default. */
  readonly accentColor: string | null
  readonly accentColorDark: string | null
  readonly supportEmail: string | null
  readonly privacyUrl: string | null
  readonly languages: Language[]
  readonly defaultLanguage: Language
  /** Whether applicants receive emails, and whether these include the outcome. */
  readonly emails: boolean
  readonly emailOutcomes: boolean
  readonly createdAt: Date
}

export interface VaultWithLogo extends Vault {
  /** The logo as a PNG file, or null. */
  readonly logo: Buffer | null
}

type Settings = Omit<Vault, 'id' | 'logoHash' | 'createdAt'> & Pick<VaultWithLogo, 'logo'>

/** Changes to a vault. An undefined setting does not change. */
export type VaultChanges = { readonly [K in keyof Settings]?: Settings[K] | undefined }
