/** Rules for a vault's choices about reviews. */

/** The decisions for which a vault can require a second operator. */
export const FOUR_EYES = ['rejections', 'approvals', 'high_risk_approvals', 'case_closings'] as const
export type FourEyes = (typeof FOUR_EYES)[number]

export interface ReviewPolicy {
  readonly fourEyes: readonly FourEyes[]
  readonly highRiskCountries: readonly string[]
}
