/** Error codes of requests that the stored data does not allow. */

const FINAL = 'Nothing: this is final.'
const ANOTHER_ID =
  'Read what already has this one, which may come from an earlier try whose answer was lost; or choose another id.'

export const STATE_ERRORS = {
  kyb_processed: {
    status: 403,
    message: 'The review of this application is finished: it can no longer be changed.',
    meaning: 'The review of the application is finished. An edit answers it with 403, a decision with 422.',
    remedy: FINAL,
  },
  kyb_abandoned: {
    status: 403,
    message: 'The identification of this application was closed: it can no longer be changed.',
    meaning:
      'The identification of the company was closed, which ended its application. An edit answers it with 403, a decision with 422.',
    remedy: 'Create a new application.',
  },
  identification_closed: {
    status: 403,
    message: 'The identification is closed: it can no longer be changed.',
    meaning:
      'The identification was closed before its verification finished. An edit answers it with 403, a decision with 422.',
    remedy: 'Create a new identification.',
  },
  identification_erased: {
    status: 403,
    message: 'What was personal of this identification was erased: it can no longer be changed.',
    meaning:
      'What was personal about the identification was erased after its retention: nothing can change it. An edit answers it with 403, a decision with 422.',
    remedy: FINAL,
  },
  same_operator: {
    status: 422,
    message: 'You made this decision yourself: another operator confirms it.',
    meaning: 'The decision needs a second operator, and the caller is the first.',
    remedy: 'Ask another operator to confirm it.',
  },
  import_not_enabled: {
    status: 403,
    message: 'Importing identities is not enabled for this vault: ask the operator to enable it.',
    meaning: 'The vault may not import identities.',
    remedy: 'Ask the operator to enable it.',
  },
  stale_version: {
    status: 409,
    message: 'It has changed since it was read: read it again, then decide.',
    meaning: 'A decision named another `version` than the newest. Nothing was changed.',
    remedy: 'Read it again, look at what has changed, and decide with its `version`.',
  },
  already_assigned: {
    status: 409,
    message: 'Another operator has it in hand: take it over, or leave it.',
    meaning: 'Another operator, whom the message names, has it in hand.',
    remedy: 'Leave it, or send `{"take_over": true}`.',
  },
  check_answered: {
    status: 409,
    message: 'This check was answered otherwise before: the first answer stands.',
    meaning: 'A verification provider answered a check again, and otherwise than the first time.',
    remedy: 'Nothing: the first answer stands, and operators see that there was another one.',
  },
  external_id_taken: {
    status: 422,
    message:
      'An application or identification of this vault has this id already, perhaps by an earlier try: find it with GET /kyb?external_id= or GET /identifications?filter[external_uuid]=, or choose another id.',
    meaning: 'An application or identification of the vault has this `external_id`.',
    remedy: ANOTHER_ID,
  },
  external_uuid_taken: {
    status: 422,
    message:
      'An identification of this vault has this external_uuid already, perhaps by an earlier try: find it with GET /identifications?filter[external_uuid]=, or choose another one.',
    meaning: 'An identification of the vault has this `external_uuid`.',
    remedy: ANOTHER_ID,
  },
  event_id_taken: {
    status: 422,
    message:
      'Another event of this vault was published under this event_id: give each event an id of its own.',
    meaning:
      'An event with another content was published to the vault under this `event_id`. Nothing of the request was published.',
    remedy:
      'Give each event an id of its own; to repeat one, send what was sent: then it is published once, and answered as before.',
  },
  email_taken: {
    status: 422,
    message: 'Another user has this e-mail: change that one instead.',
    meaning: 'A user with this e-mail exists.',
    remedy: 'Change that user, or use another e-mail.',
  },
  already_verified: {
    status: 422,
    message: 'Names can be changed only while the identification is initiated.',
    meaning: 'A name can only be changed while the identification is `initiated`.',
    remedy: 'Leave out `name` and `surname`.',
  },
  invalid_transition: {
    status: 422,
    message: 'The identification does not allow this now: read its status and its holds.',
    meaning:
      'The status does not allow this, the review of the company decides first, a hundred holds are in force, or it has a thousand accounts.',
    remedy: 'Read the identification, and docs/identifications.md for what its status allows.',
  },
  cannot_close: {
    status: 422,
    message: 'Only an identification that is initiated or approved can be closed.',
    meaning: 'The identification is neither `initiated` nor `approved`.',
    remedy: 'Read its status: it may be closed or blocked already.',
  },
  cannot_block: {
    status: 422,
    message: 'Only an approved identification can be blocked.',
    meaning: 'The identification is neither `approved` nor `blocked`.',
    remedy: 'Wait for its approval.',
  },
  cannot_unblock: {
    status: 422,
    message: 'Only a blocked identification that was not closed can be unblocked.',
    meaning: 'The identification is not `blocked`, or it was closed by the client for good.',
    remedy: 'Read its status.',
  },
  blocked_by_internal_case: {
    status: 422,
    message: 'Identification has blocks managed by an internal case. Contact support.',
    meaning: 'The operator has a case open that blocks the identification.',
    remedy: 'Contact support; unblock again once the case is closed.',
  },
  requirements_due: {
    status: 422,
    message: 'The application is not complete: see requirements.reasons.',
    meaning: 'The application cannot be approved, because something required is missing or does not count.',
    remedy: 'Fill in what `requirements.reasons` of the application lists: each says why it is due.',
  },
  reason_contradicts: {
    status: 422,
    message:
      'The reason contradicts the outcome. An approval has the reason complete or other, all others do not have complete.',
    meaning: 'The `reason_code` does not fit the outcome that is decided or confirmed.',
    remedy: 'For an approval send `complete` or `other`, for another outcome any reason except `complete`.',
  },
  decision_pending: {
    status: 422,
    message: 'A decision waits for a second operator: confirm it or withdraw it first.',
    meaning: 'A decision of one operator waits for the confirmation of another.',
    remedy: 'Confirm or withdraw it, then decide.',
  },
  no_decision_pending: {
    status: 422,
    message: 'No decision waits for a second operator: it was confirmed or withdrawn, or something changed.',
    meaning: 'There is nothing to confirm or withdraw: somebody did, or what was decided on has changed.',
    remedy: 'Read it again.',
  },
  hits_open: {
    status: 422,
    message: 'Names were found on lists: confirm or dismiss each hit first.',
    meaning:
      'Screening found the company, a beneficiary or the person on a list, and nobody has decided about it.',
    remedy:
      'Read `screening.hits` of the operators’ answer and decide each with `POST /operator/v1/screening_hits/{id}/decision`.',
  },
  not_screened: {
    status: 422,
    message: 'The names have not been looked for on the lists yet: try again in a moment.',
    meaning: 'What is there now could not be screened: the service that has the lists is away.',
    remedy: 'Send the decision again in a moment; nothing has to be entered again.',
  },
  delivery_in_progress: {
    status: 422,
    message: 'This delivery is still under way: wait until its status is completed, partial or failed.',
    meaning: 'The delivery is still pending or processing, so it cannot be sent again yet.',
    remedy: 'Wait until its status is `completed`, `partial` or `failed`.',
  },
  no_urls_configured: {
    status: 422,
    message: 'No URL is registered for this topic: add one with PUT /users/update_webhook first.',
    meaning: 'The topic of the delivery has no URLs now.',
    remedy: 'Register URLs with `PUT /users/update_webhook` first.',
  },
  no_failed_urls: {
    status: 422,
    message:
      'None of the URLs that are registered now failed in the newest round: leave out only_failed to send to all of them.',
    meaning:
      'A delivery was to be sent again to the URLs that failed alone, and of those that are registered now none did.',
    remedy: 'Leave out `only_failed`, which sends it to all URLs of the topic.',
  },
} as const
