/** Error codes of a request's form, caller and limits, and of the service itself. */
import { TOPICS } from './webhook/events.ts'

const CHANGE_VALUE = 'Change the value that `field` names and send the request again.'

export const REQUEST_ERRORS = {
  malformed_request: {
    status: 400,
    message: 'The request is malformed.',
    meaning:
      'The request cannot be read: a body that is no JSON, is not in UTF-8, is nested deeper than 20 levels or has more than 20,000 values; an id that is no UUID; a date that does not exist; a page that is no whole number; a parameter sent twice; an Idempotency-Key that is none.',
    remedy: 'Correct the request; `field`, where given, names the place.',
  },
  insufficient_role: {
    status: 403,
    message: 'The credentials lack the role that this needs.',
    meaning: 'The credentials are valid, but lack the role that the route needs; the message names it.',
    remedy:
      'Use a key or a user with the role: `api_read` for reads, `api_write` for changes; of operators, `operator_review` or `operator_admin`.',
  },
  invalid_signature: {
    status: 401,
    message: 'The Service-Signature header is missing, out of date, or does not fit the body.',
    meaning:
      'A verification provider called without a `Service-Signature` header that fits the body, the secret and the time.',
    remedy: 'Sign the bytes that are sent, with the secret of the deployment and a clock that is right.',
  },
  password_change_required: {
    status: 403,
    message: 'The password is a one-time one: choose your own with POST /users/change_password first.',
    meaning:
      'The token was given for a one-time password, which opens nothing but the change of the password.',
    remedy: '`POST /users/change_password`; its answer has a token for everything else.',
  },
  not_found: {
    status: 404,
    message: 'Record not found',
    meaning: 'There is nothing of this id, or it belongs to another vault; or there is no such path.',
    remedy:
      'Check the id, the path, and whose credentials are sent. The message says what was looked for and, where the id is that of something else which you can reach, what that is.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path exists, but not with this method.',
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive: send it again over a faster connection.',
    meaning: 'The request did not arrive in time: headers within 10 seconds, the whole of it within 60.',
    remedy: 'Send it again over a faster connection.',
  },
  idempotency_key_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still under way: send this one again in a moment.',
    meaning: 'Another request with the same Idempotency-Key has not been answered yet.',
    remedy: 'Send the same request again after the seconds in `Retry-After`.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than 1 MB, or than the 64 kB of a provider’s answer: send less at once.',
    meaning: 'The body is larger than 1 MB, or than the 64 kB of a provider’s answer.',
    remedy: 'Send less at once; files go to `POST /kyb/upload_file/{id}`.',
  },
  file_too_large: {
    status: 413,
    message: 'The file is larger than 10 MB: upload a smaller one.',
    meaning: 'The file is larger than 10 MB.',
    remedy: 'Upload a smaller file.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send application/json, or multipart/form-data where a file is uploaded.',
    meaning: 'The body is neither JSON in UTF-8 nor, for an upload, a multipart form.',
    remedy: 'Send the `Content-Type` that the route takes.',
  },
  required: {
    status: 422,
    message: 'This field is required.',
    meaning: 'A field is missing or empty.',
    remedy: 'Send the field that `field` names.',
  },
  invalid: {
    status: 422,
    message: 'This value is not allowed.',
    meaning: 'A value is not one of those allowed.',
    remedy: CHANGE_VALUE,
  },
  too_long: {
    status: 422,
    message: 'This value is too long.',
    meaning: 'A text has too many characters.',
    remedy: CHANGE_VALUE,
  },
  too_many: {
    status: 422,
    message: 'This list has too many entries.',
    meaning: 'A list has too many entries, or a form too many parts.',
    remedy: CHANGE_VALUE,
  },
  unknown_field: {
    status: 422,
    message: 'This field does not exist: remove it.',
    meaning: 'There is no such field here.',
    remedy: 'Leave out the field that `field` names, or correct its name.',
  },
  unknown_file: {
    status: 422,
    message: 'No file with this id was uploaded to this application: upload it first.',
    meaning: 'A file list names a file that was not uploaded to this application.',
    remedy: 'Upload the file to this application first.',
  },
  unknown_beneficiary: {
    status: 422,
    message:
      'No beneficiary of the application has this external_id or e-mail: add the person with PATCH /kyb/{id} first.',
    meaning: 'No beneficiary of the application has this `external_id` or e-mail.',
    remedy: 'Add the person with `PATCH /kyb/{id}` first.',
  },
  duplicate_beneficiary: {
    status: 422,
    message: 'Two beneficiaries are the same person. Send one entry per person, each with its own email.',
    meaning:
      'Two entries of the request identify the same beneficiary, or another beneficiary of the application has the email.',
    remedy:
      'Send one entry per person. To change a beneficiary’s email, identify the person by the `external_id`.',
  },
  unknown_topic: {
    status: 422,
    message: `There is no webhook topic of this name. Choose from: ${TOPICS.join(', ')}.`,
    meaning: 'There is no webhook topic of this name.',
    remedy: 'Use a topic of docs/webhooks.md.',
  },
  unsupported_file_type: {
    status: 422,
    message: 'Only PDF, JPEG and PNG files are accepted.',
    meaning: 'By its first bytes, the file is no PDF, JPEG or PNG.',
    remedy: 'Convert the file and upload it again.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key came with another request before: use a new key for each request.',
    meaning:
      'The Idempotency-Key came with another body or query to the same path within 24 hours, or the user’s vaults or roles are others since.',
    remedy: 'Use a new key for each new request.',
  },
  too_many_attempts: {
    status: 429,
    message: 'Too many wrong tries: wait before trying again.',
    meaning: 'Too many wrong passwords or one-time codes.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests: wait for as many seconds as Retry-After says.',
    meaning:
      'The key, the user or the address has used up its requests of this minute, or the vault its changes of settings of this hour; the message names the limit.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are larger than 16 kB altogether: leave out what is not needed.',
    meaning: 'The headers of the request are larger than 16 kB altogether.',
    remedy: 'Leave out headers that are not needed.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Quote the request id when you report it.',
    meaning: 'A defect of the service.',
    remedy: 'Report it with the `request_id` of the answer.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable: send the request again shortly.',
    meaning:
      'The database, the workflow engine or the folder of the files is away, or too much is asked at once. Nothing was changed, nor will be, unless the message says that the database did not answer: then it may have been done.',
    remedy:
      'Send the request again after the seconds in `Retry-After`; with the same Idempotency-Key it has one effect. What it does without one, the reference says under the 503 of each route.',
  },
} as const
