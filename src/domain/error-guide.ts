/** What each error code means and what to do about it: with `errors.ts` the source of docs/errors.md. */
import type { ErrorCode } from './errors.ts'

interface Guide {
  readonly meaning: string
  readonly remedy: string
}

const FINAL = 'Nothing: this is final.'
const CHANGE_VALUE = 'Change the value that `field` names and send the request again.'
const ANOTHER_ID =
  'Read what already has this one, which may come from an earlier try whose answer was lost; or choose another id.'

export const ERROR_GUIDE: Readonly<Record<ErrorCode, Guide>> = {
  malformed_request: {
    meaning:
      'The request cannot be read: a body that is no JSON, is not in UTF-8, is nested deeper than 20 levels or has more than 20,000 values; an id that is no UUID; a date that does not exist; a page that is no whole number; a parameter sent twice; an Idempotency-Key that is none.',
    remedy: 'Correct the request; `field`, where given, names the place.',
  },
  insufficient_role: {
    meaning: 'The credentials are valid, but lack the role that the route needs; the message names it.',
    remedy:
      'Use a key or a user with the role: `api_read` for reads, `api_write` for changes; of operators, `operator_review` or `operator_admin`.',
  },
  invalid_signature: {
    meaning:
      'A verification provider called without a `Service-Signature` header that fits the body, the secret and the time.',
    remedy: 'Sign the bytes that are sent, with the secret of the deployment and a clock that is right.',
  },
  password_change_required: {
    meaning:
      'The token was given for a one-time password, which opens nothing but the change of the password.',
    remedy: '`POST /users/change_password`; its answer has a token for everything else.',
  },
  kyb_processed: {
    meaning: 'The review of the application is finished. An edit answers it with 403, a decision with 422.',
    remedy: FINAL,
  },
  kyb_abandoned: {
    meaning:
      'The identification of the company was closed, which ended its application. An edit answers it with 403, a decision with 422.',
    remedy: 'Create a new application.',
  },
  identification_closed: {
    meaning: 'The identification was closed before its verification finished.',
    remedy: 'Create a new identification.',
  },
  identification_erased: {
    meaning:
      'What was personal about the identification was erased after its retention: nothing can change it.',
    remedy: FINAL,
  },
  same_operator: {
    meaning: 'The decision needs a second operator, and the caller is the first.',
    remedy: 'Ask another operator to confirm it.',
  },
  import_not_enabled: {
    meaning: 'The vault may not import identities.',
    remedy: 'Ask the operator to enable it.',
  },
  not_found: {
    meaning: 'There is nothing of this id, or it belongs to another vault; or there is no such path.',
    remedy:
      'Check the id, the path, and whose credentials are sent. The message says what was looked for and, where the id is that of something else which you can reach, what that is.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    meaning: 'The request did not arrive in time: headers within 10 seconds, the whole of it within 60.',
    remedy: 'Send it again over a faster connection.',
  },
  idempotency_key_in_progress: {
    meaning: 'Another request with the same Idempotency-Key has not been answered yet.',
    remedy: 'Send the same request again after the seconds in `Retry-After`.',
  },
  stale_version: {
    meaning: 'A decision named another `version` than the newest. Nothing was changed.',
    remedy: 'Read it again, look at what has changed, and decide with its `version`.',
  },
  already_assigned: {
    meaning: 'Another operator, whom the message names, has it in hand.',
    remedy: 'Leave it, or send `{"take_over": true}`.',
  },
  check_answered: {
    meaning: 'A verification provider answered a check again, and otherwise than the first time.',
    remedy: 'Nothing: the first answer stands, and operators see that there was another one.',
  },
  payload_too_large: {
    meaning: 'The body is larger than 1 MB, or than the 64 kB of a provider’s answer.',
    remedy: 'Send less at once; files go to `POST /kyb/upload_file/{id}`.',
  },
  file_too_large: {
    meaning: 'The file is larger than 10 MB.',
    remedy: 'Upload a smaller file.',
  },
  unsupported_media_type: {
    meaning: 'The body is neither JSON in UTF-8 nor, for an upload, a multipart form.',
    remedy: 'Send the `Content-Type` that the route takes.',
  },
  required: { meaning: 'A field is missing or empty.', remedy: 'Send the field that `field` names.' },
  invalid: { meaning: 'A value is not one of those allowed.', remedy: CHANGE_VALUE },
  too_long: { meaning: 'A text has too many characters.', remedy: CHANGE_VALUE },
  too_many: { meaning: 'A list has too many entries, or a form too many parts.', remedy: CHANGE_VALUE },
  unknown_field: {
    meaning: 'There is no such field here.',
    remedy: 'Leave out the field that `field` names, or correct its name.',
  },
  unknown_file: {
    meaning: 'A file list names a file that was not uploaded to this application.',
    remedy: 'Upload the file to this application first.',
  },
  unknown_beneficiary: {
    meaning: 'No beneficiary of the application has this `external_id` or e-mail.',
    remedy: 'Add the person with `PATCH /kyb/{id}` first.',
  },
  unknown_topic: {
    meaning: 'There is no webhook topic of this name.',
    remedy: 'Use a topic of docs/webhooks.md.',
  },
  unsupported_file_type: {
    meaning: 'By its first bytes, the file is no PDF, JPEG or PNG.',
    remedy: 'Convert the file and upload it again.',
  },
  idempotency_key_reused: {
    meaning:
      'The Idempotency-Key came with another body or query to the same path within 24 hours, or the user’s vaults or roles are others since.',
    remedy: 'Use a new key for each new request.',
  },
  external_id_taken: {
    meaning: 'An application or identification of the vault has this `external_id`.',
    remedy: ANOTHER_ID,
  },
  external_uuid_taken: {
    meaning: 'An identification of the vault has this `external_uuid`.',
    remedy: ANOTHER_ID,
  },
  event_id_taken: {
    meaning:
      'An event with another content was published to the vault under this `event_id`. Nothing of the request was published.',
    remedy:
      'Give each event an id of its own; to repeat one, send what was sent: then it is published once, and answered as before.',
  },
  email_taken: {
    meaning: 'A user with this e-mail exists.',
    remedy: 'Change that user, or use another e-mail.',
  },
  already_verified: {
    meaning: 'A name can only be changed while the identification is `initiated`.',
    remedy: 'Leave out `name` and `surname`.',
  },
  invalid_transition: {
    meaning:
      'The status does not allow this, the review of the company decides first, a hundred holds are in force, or it has a thousand accounts.',
    remedy: 'Read the identification, and docs/identifications.md for what its status allows.',
  },
  cannot_close: {
    meaning: 'The identification is neither `initiated` nor `approved`.',
    remedy: 'Read its status: it may be closed or blocked already.',
  },
  cannot_block: {
    meaning: 'The identification is neither `approved` nor `blocked`.',
    remedy: 'Wait for its approval.',
  },
  cannot_unblock: {
    meaning: 'The identification is not `blocked`, or it was closed by the client for good.',
    remedy: 'Read its status.',
  },
  blocked_by_internal_case: {
    meaning: 'The operator has a case open that blocks the identification.',
    remedy: 'Contact support; unblock again once the case is closed.',
  },
  requirements_due: {
    meaning: 'The application cannot be approved, because something required is missing or does not count.',
    remedy: 'Fill in what `requirements.reasons` of the application lists: each says why it is due.',
  },
  decision_pending: {
    meaning: 'A decision of one operator waits for the confirmation of another.',
    remedy: 'Confirm or withdraw it, then decide.',
  },
  no_decision_pending: {
    meaning: 'There is nothing to confirm or withdraw: somebody did, or what was decided on has changed.',
    remedy: 'Read it again.',
  },
  hits_open: {
    meaning:
      'Screening found the company, a beneficiary or the person on a list, and nobody has decided about it.',
    remedy:
      'Read `screening.hits` of the operators’ answer and decide each with `POST /operator/v1/screening_hits/{id}/decision`.',
  },
  not_screened: {
    meaning: 'What is there now could not be screened: the service that has the lists is away.',
    remedy: 'Send the decision again in a moment; nothing has to be entered again.',
  },
  delivery_in_progress: {
    meaning: 'The delivery is still pending or processing, so it cannot be sent again yet.',
    remedy: 'Wait until its status is `completed`, `partial` or `failed`.',
  },
  no_urls_configured: {
    meaning: 'The topic of the delivery has no URLs now.',
    remedy: 'Register URLs with `PUT /users/update_webhook` first.',
  },
  no_failed_urls: {
    meaning:
      'A delivery was to be sent again to the URLs that failed alone, and of those that are registered now none did.',
    remedy: 'Leave out `only_failed`, which sends it to all URLs of the topic.',
  },
  too_many_attempts: {
    meaning: 'Too many wrong passwords or one-time codes.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  rate_limited: {
    meaning: 'The key, the user or the address has used up its requests of this minute.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  headers_too_large: {
    meaning: 'The headers of the request are larger than 16 kB altogether.',
    remedy: 'Leave out headers that are not needed.',
  },
  internal_error: {
    meaning: 'A defect of the service.',
    remedy: 'Report it with the `request_id` of the answer.',
  },
  service_unavailable: {
    meaning:
      'The database, the workflow engine or the folder of the files is away, or too much is asked at once. Nothing was changed, nor will be, unless the message says that the database did not answer: then it may have been done.',
    remedy:
      'Send the request again after the seconds in `Retry-After`; with the same Idempotency-Key it has one effect. What it does without one, the reference says under the 503 of each route.',
  },
}
