/** Describes the possible effects of a request that returned 503, and of a retry. */

const MAYBE = 'The request may have taken effect.'

export const RETRY_GUIDANCE = {
  nothing: 'Nothing was changed. Send the request again.',
  command:
    'The request had no effect and will have none, so send it again. However, if the message says that the database did not respond, the change may have been made. In that case, fetch the resource first.',
  same: `${MAYBE} A retry leads to the same result.`,
  replaced: `${MAYBE} A retry creates a new one, which replaces the lost one.`,
  external_id: `${MAYBE} In that case, a retry returns \`external_id_taken\`. Find the application with \`GET /kyb?external_id=\`, and create a new password with \`POST /kyb/{id}/form_link\`.`,
  external_uuid: `${MAYBE} In that case, a retry with the same \`external_uuid\` returns \`external_uuid_taken\`. Find the identification with \`GET /identifications?filter[external_uuid]=\`. A retry without an \`external_uuid\` creates another identification.`,
  process: `${MAYBE} A retry with the same \`external_uuid\` creates a new link, which replaces the lost one. A retry without an \`external_uuid\` creates another identification.`,
  email: `${MAYBE} In that case, a retry returns \`email_taken\`. Create a new one-time password with \`POST /users/{id}/reset_password\`.`,
  event_id: `${MAYBE} A retry publishes each event with an \`event_id\` once and returns the same response. It publishes events without an \`event_id\` a second time.`,
  twice: `${MAYBE} A retry takes effect a second time. Check the current state first.`,
  delivery: `${MAYBE} A retry during the delivery returns \`delivery_in_progress\`. A later retry sends the delivery once more.`,
  rest: 'Some deliveries may already have been sent again. Send the request again to send the others.',
  secret: `${MAYBE} Check \`webhook_secret\` in the settings. A retry replaces the secret again, and the secret that you know no longer signs deliveries.`,
  password: `${MAYBE} In that case, sign in with the new password. The earlier password is no longer valid.`,
  codes: `${MAYBE} Check the user’s \`otp_required_for_login\`. If the request took effect, a retry is refused.`,
} as const

export type RetryGuidance = keyof typeof RETRY_GUIDANCE
