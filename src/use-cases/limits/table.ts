/**
 * Lists the limits of the API and the pages. A counter allows a number of actions per key and period, in all processes
 * together. Slots allow a number of tasks at once, in each process. A quota is the number of things that a vault keeps.
 * Requests per minute (`budget.ts`) and commands (`src/temporal/admission.ts`) have limits of their own.
 */
import type { Config } from '../../process/config.ts'

/** Counters with a fixed number of points. */
export const ATTEMPTS = {
  sign_in_pair: { points: 10, seconds: 300 },
  sign_in_address: { points: 100, seconds: 600 },
  /** The limit for all addresses of one IPv6 network (`/48`). */
  sign_in_site: { points: 1_000, seconds: 600 },
  sign_in_account: { points: 50, seconds: 60 },
  /** Limits the one-time codes tried after the correct password, because there are only a million possible codes. */
  sign_in_code: { points: 10, seconds: 900 },
  /** The limit on failed passwords, per application and address. */
  kyb_password: { points: 5, seconds: 60 },
  /** The limit on one-time codes that are sent by email, per link. */
  form_code: { points: 5, seconds: 86_400 },
} as const

/** Counters with a setting. A refusal names the limit. */
export const RATES = {
  session_saves: {
    setting: 'RATE_LIMIT_SESSION_SAVES',
    seconds: 60,
    what: 'saves per minute in one session',
  },
  verification_saves: {
    setting: 'RATE_LIMIT_VERIFICATION_SAVES',
    seconds: 86_400,
    what: 'saves per day in one verification',
  },
  session_uploads: {
    setting: 'RATE_LIMIT_SESSION_UPLOADS',
    seconds: 60,
    what: 'uploads per minute in one session',
  },
  verification_uploads: {
    setting: 'RATE_LIMIT_VERIFICATION_UPLOADS',
    seconds: 86_400,
    what: 'uploads per day in one verification',
  },
  case_reads: {
    setting: 'RATE_LIMIT_CASE_READS',
    seconds: 3_600,
    what: 'cases that an operator reads per hour',
  },
  /** Limits settings changes, because each one adds a permanent entry to the audit trail. */
  settings: { setting: 'RATE_LIMIT_SETTINGS', seconds: 3_600, what: 'settings changes per hour' },
} as const
export type RateName = keyof typeof RATES

export const QUOTAS = {
  vault_files: { setting: 'QUOTA_VAULT_FILES', what: 'stored files' },
  vault_bytes: { setting: 'QUOTA_VAULT_BYTES', what: 'stored bytes' },
} as const
export type QuotaName = keyof typeof QUOTAS

/** Returns the limits of a vault and its applicants that have a setting. */
export const limitsOf = (config: Config): Readonly<Record<RateName | QuotaName, number>> =>
  Object.fromEntries(
    Object.entries({ ...RATES, ...QUOTAS }).map(([name, { setting }]) => [name, config[setting]]),
  ) as Record<RateName | QuotaName, number>

/** Slots per reader for reads, and as many for changes. A list may need two of the process's 20 connections at once. */
export const READS = {
  maxConcurrent: 5,
  maxWaitMs: 10_000,
  timeoutMessage:
    'Too many requests are in progress. Send fewer at the same time, or retry after the number of seconds in Retry-After.',
}

/** Slots that all callers share, with the maximum per vault and per caller of a vault. */
export const SLOTS = {
  /** Divides the slots of a vault among its keys and users. */
  reading: { ...READS, maxConcurrent: Number.POSITIVE_INFINITY, maxPerVault: READS.maxConcurrent },
  /** Limits pages, because a page may take 20 ms of processor time, during which the process handles no other request. */
  pages: { maxConcurrent: 4, maxPerVault: 3, maxPerCaller: 2, maxWaitMs: 10_000 },
  creations: {
    maxConcurrent: 6,
    maxWaitMs: 4_000,
    timeoutMessage:
      'Too many resources are being created, so nothing was created. Retry after the number of seconds in Retry-After.',
  },
  /** One vault uses one slot, so the slow images of one vault never delay those of another. */
  decoding: { maxConcurrent: 2, maxPerVault: 1, maxWaitMs: 15_000 },
  /** Limits the files in memory, because each file may remain there until it is sent. */
  sending: { maxConcurrent: 30, maxPerVault: 15, maxWaitMs: 2_000 },
  /** Limits decryption, because a file is in memory up to three times while it is decrypted. */
  opening: { maxConcurrent: 8, maxWaitMs: 1_500 },
  /** Limits uploads, because each upload to a bucket keeps 5 MB in memory. Slow ones end if others wait in vain. */
  receiving: { maxConcurrent: 40, maxPerVault: 20, maxPerCaller: 10, maxWaitMs: 1_500 },
} as const
