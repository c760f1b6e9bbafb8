/** Rules for sending all failed deliveries of a URL again. */

export const DEFAULT_RESEND_PER_SECOND = 10

export const RESEND_STATUSES = ['none', 'running', 'finished', 'stopped'] as const

/** The newest resending of a URL's failed deliveries. */
export interface Resend {
  readonly status: (typeof RESEND_STATUSES)[number]
  /** The earliest time of the events, or null if there was no resending. */
  readonly since: Date | null
  readonly perSecond: number | null
  /** The number of failed deliveries at the start. */
  readonly total: number
  /** The number of deliveries that were sent again so far. */
  readonly sent: number
}
