/** Rules for error codes about the format of a request, its caller, the limits and the service itself. */
import { TOPICS } from './topics.ts'

export const REQUEST_ERRORS = {
  malformed_request: {
    status: 400,
    message: 'The request cannot be parsed. Check the JSON, the IDs and the query parameters.',
  },
  insufficient_role: {
    status: 403,
    message: 'The credentials do not have the required role. Use a key or a user that has it.',
  },
  invalid_signature: {
    status: 401,
    message:
      'The Service-Signature header is missing, expired or invalid. Sign the exact bytes that you send.',
  },
  password_change_required: {
    status: 403,
    message:
      'This token comes from a one-time password. Set your own password with POST /users/change_password.',
  },
  password_sign_in_off: {
    status: 403,
    message:
      'Operators cannot sign in with a password here. Use an access token of your OpenID provider instead.',
  },
  not_found: {
    status: 404,
    message: 'Record not found',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support the method. Use a method in the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive. Send it again over a faster connection.',
  },
  idempotency_key_in_progress: {
    status: 409,
    message:
      'A request with this Idempotency-Key is in progress. Retry after the number of seconds in Retry-After.',
  },
  payload_too_large: {
    status: 413,
    message: 'The request body exceeds 1 MB (64 kB for a provider callback). Send less data in each request.',
  },
  file_too_large: {
    status: 413,
    message: 'The file exceeds 10 MB. Upload a smaller file.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The content type is not supported. Send application/json, or multipart/form-data for a file.',
  },
  required: {
    status: 422,
    message: 'This field is required.',
  },
  invalid: {
    status: 422,
    message: 'This value is not allowed. Send a different value.',
  },
  too_long: {
    status: 422,
    message: 'This value is too long. Send a shorter value.',
  },
  too_many: {
    status: 422,
    message: 'This list has too many entries. Send fewer entries.',
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
  },
  unknown_file: {
    status: 422,
    message: 'No file with this ID was uploaded to this application. Upload the file first.',
  },
  unknown_beneficiary: {
    status: 422,
    message:
      'No beneficiary of the application has this external_id or email. Add the person with PATCH /kyb/{id} first.',
  },
  duplicate_beneficiary: {
    status: 422,
    message: 'Two beneficiaries are the same person. Send one entry per person, each with its own email.',
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
  },
  invalid_certificate: {
    status: 422,
    message: 'This is not a PEM file with usable certificates. Send certificates only, without keys.',
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
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key belongs to a different request. Use a new key for each request.',
  },
  too_many_attempts: {
    status: 429,
    message: 'There were too many failed attempts. Retry after the number of seconds in Retry-After.',
  },
  rate_limited: {
    status: 429,
    message: 'There were too many requests. Retry after the number of seconds in Retry-After.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers exceed 16 kB. Remove headers that you do not need.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed. Report the request_id of this response.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Retry after the number of seconds in Retry-After.',
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
