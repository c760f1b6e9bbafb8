/** Rules for a vault's choices about reviews. */

/** The decisions for which a vault can require a second operator. */
export const FOUR_EYES = ['rejections', 'approvals', 'high_risk_approvals', 'case_closings'] as const
export type FourEyes = (typeof FOUR_EYES)[number]

export interface ReviewPolicy {
  readonly fourEyes: readonly FourEyes[]
  /** The countries with a high risk, as ISO 3166-1 alpha-2 codes. */
  readonly highRiskCountries: readonly string[]
}
