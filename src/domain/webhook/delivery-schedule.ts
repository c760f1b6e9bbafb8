/** Rules for the times of delivery attempts. */

/**
 * Up to three retries follow the first attempt, with this pause between the starts of attempts (specification,
 * "Acknowledgement and retries").
 */
export const MAX_ATTEMPTS = 4
export const SPACING_MS = 10_000

const HOUR_MS = 3_600_000
/** The pauses before the additional attempts in vaults with long retries. */
export const LONG_PAUSES_MS = [1, 2, 4, 8, 16].map((hours) => hours * HOUR_MS)
/**
 * The maximum fraction by which a pause is lengthened, so that deliveries that failed together are not retried
 * together.
 */
export const JITTER = 0.2
