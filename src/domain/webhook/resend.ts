/** Rules for sending all failed deliveries of a URL again. */

export const DEFAULT_RESEND_PER_SECOND = 10

export const RESEND_STATUSES = ['none', 'running', 'finished', 'stopped'] as const

export interface Resend {
  readonly status: (typeof RESEND_STATUSES)[number]
  /** The earliest time of the events, or null if there was no resending. */
  readonly since: Date | null
  readonly perSecond: number | null
  readonly total: number
  readonly sent: number
}
