/** What a 503 leaves behind, and what sending the same request again does: said for each route in the reference. */

const MAYBE = 'It may have been done.'

export const RETRY_GUIDANCE = {
  nothing: 'Nothing was changed: send it again.',
  command:
    'Nothing was changed, nor will be: send it again. Only where the message says that the database did not answer may it have been done: read it first.',
  same: `${MAYBE} Sent again, it leads to the same.`,
  replaced: `${MAYBE} Sent again, it makes another one in the place of what was lost.`,
  external_id: `${MAYBE} Sent again, it creates nothing twice: it is refused with \`external_id_taken\`. \`GET /kyb?external_id=\` finds what there is, and \`POST /kyb/{id}/form_link\` makes another password.`,
  external_uuid: `${MAYBE} Sent again with its \`external_uuid\`, it creates nothing twice: it is refused with \`external_uuid_taken\`, and \`GET /identifications?filter[external_uuid]=\` finds what there is. Without one, it creates another one.`,
  process: `${MAYBE} Sent again with its \`external_uuid\`, it makes another link in the place of what was lost. Without one, it creates another identification.`,
  email: `${MAYBE} Sent again, it creates nobody twice: it is refused with \`email_taken\`. \`POST /users/{id}/reset_password\` makes another password.`,
  event_id: `${MAYBE} Sent again, each event with an \`event_id\` is published once, and answered as before; those without one are published twice.`,
  twice: `${MAYBE} Sent again, it is done twice: look first.`,
  delivery: `${MAYBE} Sent again while it is under way, it is refused with \`delivery_in_progress\`; later, it is delivered once more.`,
  rest: 'Some may have been sent again already. Send the request again, and the rest follows.',
  secret: `${MAYBE} \`webhook_secret\` of the settings tells. Sent again, the secret is replaced once more, and the one that you know signs no more.`,
  password: `${MAYBE} Then the new password signs in, and the earlier one is refused.`,
  codes: `${MAYBE} \`otp_required_for_login\` of the user tells. Sent again, it is refused where it was done.`,
} as const

export type RetryGuidance = keyof typeof RETRY_GUIDANCE
