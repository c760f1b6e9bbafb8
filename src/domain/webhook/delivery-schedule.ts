/** When the attempts of a delivery come that no URL accepts. */

/** Specification, "Acknowledgement and retries": up to three more attempts, from the begin of one to that of the next. */
export const MAX_ATTEMPTS = 4
export const SPACING_MS = 10_000

const HOUR_MS = 3_600_000
/** Between those that follow where a vault asks for them. */
export const LONG_PAUSES_MS = [1, 2, 4, 8, 16].map((hours) => hours * HOUR_MS)
/** They are longer by up to this part, so that what failed together does not come back together. */
export const JITTER = 0.2
