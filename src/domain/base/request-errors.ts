/** Rules for error codes about the format of a request, its caller, the limits and the service itself. */
import { TOPICS } from './topics.ts'

const CHANGE_VALUE = 'Change the value that `field` names and send the request again.'

export const REQUEST_ERRORS = {
  malformed_request: {
    status: 400,
    message: 'The request cannot be parsed. Check the JSON, the IDs and the query parameters.',
    meaning:
      'The body is not valid JSON in UTF-8, is nested deeper than 20 levels or has more than 20,000 values. Or an ID is not a UUID, a date does not exist, or a page is not a whole number. Or a field, a parameter or a header is sent twice, a parameter is not in UTF-8, or the `Idempotency-Key` is invalid.',
    remedy: 'Correct the request. `field`, if present, shows which part is wrong.',
  },
  insufficient_role: {
    status: 403,
    message: 'The credentials do not have the required role. Use a key or a user that has it.',
    meaning:
      'The credentials are valid but do not have the role that the route requires. The message in the response names the role.',
    remedy:
      'Use a key or a user with the role: `api_read` to read, `api_write` to change, and for operators the role that the message names.',
  },
  invalid_signature: {
    status: 401,
    message:
      'The Service-Signature header is missing, expired or invalid. Sign the exact bytes that you send.',
    meaning: 'A verification provider sent a callback without a valid `Service-Signature` header.',
    remedy: 'Sign the exact bytes that you send with the deployment’s secret, and check your clock.',
  },
  password_change_required: {
    status: 403,
    message:
      'This token comes from a one-time password. Set your own password with POST /users/change_password.',
    meaning: 'The token was issued for a one-time password. It is valid only for changing the password.',
    remedy: 'Call `POST /users/change_password`. The response contains a token for all other requests.',
  },
  password_sign_in_off: {
    status: 403,
    message:
      'Operators cannot sign in with a password here. Use an access token of your OpenID provider instead.',
    meaning:
      'The deployment has `OPERATOR_PASSWORDS=off`, so operators use [single sign-on](single-sign-on.md).',
    remedy: 'Send an access token of the OpenID provider in the `Authorization` header.',
  },
  not_found: {
    status: 404,
    message: 'Record not found',
    meaning: 'No resource has this ID, the resource belongs to another vault, or the path does not exist.',
    remedy:
      'Check the ID, the path and the credentials. The message in the response names the resource type. If the ID belongs to another resource that you can read, the message says which.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support the method. Use a method in the Allow header.',
    meaning: 'The path exists but does not support the method.',
    remedy: 'Use a method in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive. Send it again over a faster connection.',
    meaning:
      'The request did not arrive in time. The limit is 10 seconds for the headers and 60 seconds for the whole request.',
    remedy: 'Send the request again over a faster connection.',
  },
  idempotency_key_in_progress: {
    status: 409,
    message:
      'A request with this Idempotency-Key is in progress. Retry after the number of seconds in Retry-After.',
    meaning: 'Another request with the same `Idempotency-Key` has no response yet.',
    remedy: 'Retry the same request after the number of seconds in `Retry-After`.',
  },
  payload_too_large: {
    status: 413,
    message: 'The request body exceeds 1 MB (64 kB for a provider callback). Send less data in each request.',
    meaning: 'The request body exceeds 1 MB, or 64 kB for a provider callback.',
    remedy: 'Send less data in each request. Send files to `POST /kyb/upload_file/{id}`.',
  },
  file_too_large: {
    status: 413,
    message: 'The file exceeds 10 MB. Upload a smaller file.',
    meaning: 'The file exceeds 10 MB.',
    remedy: 'Upload a smaller file.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The content type is not supported. Send application/json, or multipart/form-data for a file.',
    meaning: 'The body is neither JSON in UTF-8 nor, for an upload, a multipart form.',
    remedy: 'Send the `Content-Type` that the route accepts.',
  },
  required: {
    status: 422,
    message: 'This field is required.',
    meaning: 'A field is missing or empty.',
    remedy: 'Send the field that `field` names.',
  },
  invalid: {
    status: 422,
    message: 'This value is not allowed. Send a different value.',
    meaning: 'A field has a value that is not allowed.',
    remedy: CHANGE_VALUE,
  },
  too_long: {
    status: 422,
    message: 'This value is too long. Send a shorter value.',
    meaning: 'A text field has too many characters.',
    remedy: CHANGE_VALUE,
  },
  too_many: {
    status: 422,
    message: 'This list has too many entries. Send fewer entries.',
    meaning: 'A list has too many entries, or a form has too many parts.',
    remedy: CHANGE_VALUE,
    pages: {
      applicant: {
        en: 'The list is full. Remove an entry first.',
        de: 'Die Liste ist voll. Entfernen Sie zuerst einen Eintrag.',
      },
      administrator: {
        en: 'The list is too long. Remove some entries.',
        de: 'Die Liste ist zu lang. Entfernen Sie einige Einträge.',
      },
    },
  },
  unknown_field: {
    status: 422,
    message: 'This field does not exist. Remove it.',
    meaning:
      'The request contains a field that the route does not accept. If the name resembles an existing field, the message suggests it.',
    remedy: 'Remove the field that `field` names, or correct its name.',
  },
  unknown_file: {
    status: 422,
    message: 'No file with this ID was uploaded to this application. Upload the file first.',
    meaning: 'A list of files contains the ID of a file that was not uploaded to this application.',
    remedy: 'Upload the file to this application first.',
  },
  unknown_beneficiary: {
    status: 422,
    message:
      'No beneficiary of the application has this external_id or email. Add the person with PATCH /kyb/{id} first.',
    meaning: 'No beneficiary of the application has this `external_id` or email.',
    remedy: 'Add the person with `PATCH /kyb/{id}` first.',
  },
  duplicate_beneficiary: {
    status: 422,
    message: 'Two beneficiaries are the same person. Send one entry per person, each with its own email.',
    meaning:
      'Two entries of the request identify the same beneficiary, or another beneficiary of the application has the email.',
    remedy:
      'Send one entry per person. To change a beneficiary’s email, identify the person by the `external_id`.',
    pages: {
      applicant: {
        en: 'Another person has this email address. Edit that person’s details instead.',
        de: 'Eine andere Person hat diese E-Mail-Adresse. Bearbeiten Sie stattdessen diese Person.',
      },
    },
  },
  unknown_topic: {
    status: 422,
    message: `This webhook topic does not exist. Choose from: ${TOPICS.join(', ')}.`,
    meaning: 'The webhook topic does not exist.',
    remedy: 'Use a topic listed in docs/webhooks.md.',
  },
  invalid_certificate: {
    status: 422,
    message: 'This is not a PEM file with usable certificates. Send certificates only, without keys.',
    meaning:
      'A certificate of a webhook URL cannot be parsed or used. For example, it contains a private key, or its own key is too short or exceeds 4,096 bits.',
    remedy: 'Send at most 20 certificates in PEM format, and nothing else.',
    pages: {
      administrator: {
        en: 'This is not a PEM file with usable certificates. Enter certificates only, without keys.',
        de: 'Das ist keine PEM-Datei mit brauchbaren Zertifikaten. Geben Sie nur Zertifikate ohne Schlüssel ein.',
      },
    },
  },
  certificate_expired: {
    status: 422,
    message: 'A certificate has expired or is not valid yet. Send certificates that are valid now.',
    meaning: 'A certificate of a webhook URL has expired, or is not valid yet.',
    remedy: 'Send certificates that are valid now.',
    pages: {
      administrator: {
        en: 'A certificate has expired or is not valid yet. Enter certificates that are valid now.',
        de: 'Ein Zertifikat ist abgelaufen oder noch nicht gültig. Geben Sie Zertifikate ein, die jetzt gültig sind.',
      },
    },
  },
  invalid_private_key: {
    status: 422,
    message:
      'This is not a private key in PEM format without a passphrase. Convert the key and send it again.',
    meaning: 'The private key of a webhook URL cannot be parsed, or has a passphrase.',
    remedy: 'Send the key in PEM format, without a passphrase.',
    pages: {
      administrator: {
        en: 'This is not a private key in PEM format without a passphrase.',
        de: 'Das ist kein privater Schlüssel im PEM-Format ohne Passphrase.',
      },
    },
  },
  certificate_key_mismatch: {
    status: 422,
    message: 'The private key does not belong to the first client certificate. Send both together.',
    meaning: 'The private key of a webhook URL does not belong to its first client certificate.',
    remedy: 'Send the certificate and its key together, with the certificate before its chain.',
    pages: {
      administrator: {
        en: 'The private key does not belong to the first client certificate.',
        de: 'Der private Schlüssel gehört nicht zum ersten Client-Zertifikat.',
      },
    },
  },
  unsupported_file_type: {
    status: 422,
    message: 'The file is not a PDF, JPEG or PNG file. Convert it and upload it again.',
    meaning: 'The first bytes of the file do not identify a PDF, JPEG or PNG file.',
    remedy: 'Convert the file and upload it again.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key belongs to a different request. Use a new key for each request.',
    meaning:
      'A request with a different body or query used the same `Idempotency-Key` on this path in the last 24 hours. Or the user’s vaults or roles have changed since that request.',
    remedy: 'Use a new key for each new request.',
  },
  too_many_attempts: {
    status: 429,
    message: 'There were too many failed attempts. Retry after the number of seconds in Retry-After.',
    meaning: 'There were too many failed attempts with a password or a one-time code.',
    remedy: 'Wait for the number of seconds in `Retry-After`.',
  },
  rate_limited: {
    status: 429,
    message: 'There were too many requests. Retry after the number of seconds in Retry-After.',
    meaning:
      'The key, user or IP address has reached its limit of requests per minute. Or the vault or user has reached its limit of settings changes per hour. The message in the response states which limit.',
    remedy: 'Wait for the number of seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers exceed 16 kB. Remove headers that you do not need.',
    meaning: 'The request headers exceed 16 kB in total.',
    remedy: 'Remove headers that you do not need.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed. Report the request_id of this response.',
    meaning: 'An unexpected error occurred in Gatehouse.',
    remedy: 'Report the `request_id` of the response.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Retry after the number of seconds in Retry-After.',
    meaning:
      'The database, Temporal or the file storage is unavailable, or there are too many simultaneous requests. The request had no effect and will have none, unless the message says that the database did not respond.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. With the same `Idempotency-Key`, the request takes effect once. Without one, see the 503 response of the route in the reference.',
    pages: {
      applicant: {
        en: 'The service is temporarily unavailable. Your saved entries are kept. Try again in one minute.',
        de: 'Der Dienst ist vorübergehend nicht erreichbar. Gespeicherte Angaben bleiben erhalten. Versuchen Sie es in einer Minute erneut.',
      },
      operator: {
        en: 'Gatehouse could not confirm your change. Reload the page in a few seconds to check the current state.',
        de: 'Gatehouse konnte Ihre Änderung nicht bestätigen. Laden Sie die Seite in einigen Sekunden neu und prüfen Sie den Stand.',
      },
    },
  },
} as const
