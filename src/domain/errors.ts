/** Every error code an answer can carry: its HTTP status and what it tells the reader to do next. */

import { TOPICS } from './webhook/events.ts'

interface ErrorEntry {
  readonly status: number
  readonly message: string
}

export const ERRORS = {
  malformed_request: { status: 400, message: 'The request is malformed.' },
  insufficient_role: { status: 403, message: 'The credentials lack the role that this needs.' },
  invalid_signature: {
    status: 401,
    message: 'The Service-Signature header is missing, out of date, or does not fit the body.',
  },
  password_change_required: {
    status: 403,
    message: 'The password is a one-time one: choose your own with POST /users/change_password first.',
  },
  kyb_processed: {
    status: 403,
    message: 'The review of this application is finished: it can no longer be changed.',
  },
  kyb_abandoned: {
    status: 403,
    message: 'The identification of this application was closed: it can no longer be changed.',
  },
  identification_closed: {
    status: 403,
    message: 'The identification is closed: it can no longer be changed.',
  },
  identification_erased: {
    status: 403,
    message: 'What was personal of this identification was erased: it can no longer be changed.',
  },
  same_operator: {
    status: 403,
    message: 'You made this decision yourself: another operator confirms it.',
  },
  import_not_enabled: {
    status: 403,
    message: 'Importing identities is not enabled for this vault: ask the operator to enable it.',
  },
  not_found: { status: 404, message: 'Record not found' },
  method_not_allowed: { status: 405, message: 'This path exists, but not with this method.' },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive: send it again over a faster connection.',
  },
  idempotency_key_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still under way: send this one again in a moment.',
  },
  stale_version: {
    status: 409,
    message: 'It has changed since it was read: read it again, then decide.',
  },
  already_assigned: {
    status: 409,
    message: 'Another operator has it in hand: take it over, or leave it.',
  },
  check_answered: {
    status: 409,
    message: 'This check was answered otherwise before: the first answer stands.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than 1 MB, or than the 64 kB of a provider’s answer: send less at once.',
  },
  file_too_large: { status: 413, message: 'The file is larger than 10 MB: upload a smaller one.' },
  unsupported_media_type: {
    status: 415,
    message: 'Send application/json, or multipart/form-data where a file is uploaded.',
  },
  required: { status: 422, message: 'This field is required.' },
  invalid: { status: 422, message: 'This value is not allowed.' },
  too_long: { status: 422, message: 'This value is too long.' },
  too_many: { status: 422, message: 'This list has too many entries.' },
  unknown_field: { status: 422, message: 'This field does not exist: remove it.' },
  unknown_file: {
    status: 422,
    message: 'No file with this id was uploaded to this application: upload it first.',
  },
  unknown_beneficiary: {
    status: 422,
    message:
      'No beneficiary of the application has this external_id or e-mail: add the person with PATCH /kyb/{id} first.',
  },
  unknown_topic: {
    status: 422,
    message: `There is no webhook topic of this name. Choose from: ${TOPICS.join(', ')}.`,
  },
  unsupported_file_type: { status: 422, message: 'Only PDF, JPEG and PNG files are accepted.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key came with another request before: use a new key for each request.',
  },
  external_id_taken: {
    status: 422,
    message:
      'An application or identification of this vault has this id already, perhaps by an earlier try: find it with GET /kyb?external_id= or GET /identifications?filter[external_uuid]=, or choose another id.',
  },
  external_uuid_taken: {
    status: 422,
    message:
      'An identification of this vault has this external_uuid already, perhaps by an earlier try: find it with GET /identifications?filter[external_uuid]=, or choose another one.',
  },
  event_id_taken: {
    status: 422,
    message:
      'Another event of this vault was published under this event_id: give each event an id of its own.',
  },
  email_taken: { status: 422, message: 'Another user has this e-mail: change that one instead.' },
  already_verified: {
    status: 422,
    message: 'Names can be changed only while the identification is initiated.',
  },
  invalid_transition: {
    status: 422,
    message: 'The identification does not allow this now: read its status and its holds.',
  },
  cannot_close: {
    status: 422,
    message: 'Only an identification that is initiated or approved can be closed.',
  },
  cannot_block: { status: 422, message: 'Only an approved identification can be blocked.' },
  cannot_unblock: {
    status: 422,
    message: 'Only a blocked identification that was not closed can be unblocked.',
  },
  blocked_by_internal_case: {
    status: 422,
    message: 'Identification has blocks managed by an internal case. Contact support.',
  },
  requirements_due: {
    status: 422,
    message: 'The application is not complete: see requirements.reasons.',
  },
  decision_pending: {
    status: 422,
    message: 'A decision waits for a second operator: confirm it or withdraw it first.',
  },
  no_decision_pending: {
    status: 422,
    message: 'No decision waits for a second operator: it was confirmed or withdrawn, or something changed.',
  },
  hits_open: {
    status: 422,
    message: 'Names were found on lists: confirm or dismiss each hit first.',
  },
  not_screened: {
    status: 422,
    message: 'The names have not been looked for on the lists yet: try again in a moment.',
  },
  delivery_in_progress: {
    status: 422,
    message: 'This delivery is still under way: wait until its status is completed, partial or failed.',
  },
  no_urls_configured: {
    status: 422,
    message: 'No URL is registered for this topic: add one with PUT /users/update_webhook first.',
  },
  no_failed_urls: {
    status: 422,
    message:
      'None of the URLs that are registered now failed in the newest round: leave out only_failed to send to all of them.',
  },
  too_many_attempts: { status: 429, message: 'Too many wrong tries: wait before trying again.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests: wait for as many seconds as Retry-After says.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are larger than 16 kB altogether: leave out what is not needed.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Quote the request id when you report it.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable: send the request again shortly.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** One problem of a request. `status` overrides the table's where a code has two (a decision's 422). */
export interface Problem {
  readonly code: ErrorCode
  readonly field?: string
  readonly message?: string
  readonly status?: number
}

/** The HTTP status of an answer that carries these problems: a 400 goes before everything else. */
export function statusOf(problems: readonly Problem[]): number {
  const statuses = problems.map((problem) => problem.status ?? ERRORS[problem.code].status)
  return statuses.includes(400) ? 400 : (statuses[0] ?? 500)
}

/** Thrown to end a request with these problems. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly problems: readonly Problem[]

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => problem.code).join(', '))
    this.problems = problems
  }
}
