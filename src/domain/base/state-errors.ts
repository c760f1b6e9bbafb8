/** Rules for error codes about requests that conflict with the stored data. */

const FINAL = 'Do nothing. This is final.'

export const STATE_ERRORS = {
  quota_exceeded: {
    status: 403,
    message: 'The vault has reached its storage limit. Delete files that you do not need.',
    meaning:
      'The vault has reached its limit for files (`QUOTA_VAULT_FILES`) or bytes (`QUOTA_VAULT_BYTES`). The message in the response states which limit.',
    remedy:
      'Delete files that you do not need, or ask the operator of Gatehouse to raise the limit. Deleted files count for up to one more day.',
  },
  kyb_processed: {
    status: 403,
    message: 'The review of this application is finished. The application cannot be changed.',
    meaning: 'The review of the application is finished. An edit returns 403, a decision 422.',
    remedy: FINAL,
    pages: {
      applicant: {
        en: 'The review is complete. You can no longer change your details.',
        de: 'Die Prüfung ist abgeschlossen. Sie können Ihre Angaben nicht mehr ändern.',
      },
      operator: { en: 'The application has already been decided', de: 'Der Antrag ist bereits entschieden' },
    },
  },
  kyb_abandoned: {
    status: 403,
    message: 'The identification of this application was closed. The application cannot be changed.',
    meaning:
      'The company’s identification was closed, which ended the application. An edit returns 403, a decision 422.',
    remedy: 'Create a new application with another `external_id`.',
    pages: {
      applicant: {
        en: 'The verification is closed. You can no longer change your details.',
        de: 'Die Prüfung ist geschlossen. Sie können Ihre Angaben nicht mehr ändern.',
      },
      operator: {
        en: 'The identification is closed, so the application cannot be decided',
        de: 'Die Identifizierung ist geschlossen, daher kann der Antrag nicht entschieden werden',
      },
    },
  },
  identification_closed: {
    status: 403,
    message: 'The identification is closed. It cannot be changed.',
    meaning:
      'The identification was closed before its verification finished. An edit returns 403, a decision 422.',
    remedy: 'Create a new identification with another `external_uuid`.',
    pages: {
      operator: {
        en: 'The identification is closed and cannot be changed',
        de: 'Die Identifizierung ist geschlossen und kann nicht geändert werden',
      },
    },
  },
  identification_erased: {
    status: 403,
    message: 'The personal data of this identification has been erased. It cannot be changed.',
    meaning:
      'The personal data of the identification was erased at the end of its retention period. An edit returns 403, a decision 422.',
    remedy: FINAL,
    pages: {
      operator: {
        en: 'The personal data of this case has been erased, so the case cannot be changed',
        de: 'Die personenbezogenen Daten dieses Falls wurden gelöscht. Der Fall kann nicht geändert werden.',
      },
    },
  },
  same_operator: {
    status: 422,
    message: 'You cannot confirm your own decision. Ask another operator to confirm it.',
    meaning: 'You made the decision that awaits a second approval.',
    remedy: 'Ask another operator to confirm it.',
    pages: {
      operator: {
        en: 'You cannot confirm your own decision. Ask another operator to confirm it.',
        de: 'Sie können Ihre eigene Entscheidung nicht bestätigen. Bitten Sie einen anderen Bearbeiter darum.',
      },
      administrator: {
        en: 'You cannot confirm your own action. Ask another administrator to confirm it.',
        de: 'Sie können Ihren eigenen Vorgang nicht bestätigen. Bitten Sie eine zweite Person aus der Administration darum.',
      },
    },
  },
  import_not_enabled: {
    status: 403,
    message: 'This vault cannot import identities. Ask the operator to enable imports.',
    meaning: 'Imports are not enabled for the vault.',
    remedy: 'Ask the operator to enable imports.',
  },
  stale_version: {
    status: 409,
    message: 'The resource has changed since you read it. Fetch it again and decide on the new version.',
    meaning:
      'The request contains a `version`, `found_at` or `decided_at` that is no longer current, or confirms an administrative action whose subject has changed. Nothing was changed.',
    remedy: 'Fetch the resource again, review the changes, and decide with its current values.',
    pages: {
      operator: {
        en: 'The case has changed, so your decision was not recorded. Review the changes and decide again.',
        de: 'Der Fall hat sich geändert, deshalb wurde Ihre Entscheidung nicht erfasst. Prüfen Sie die Änderungen und entscheiden Sie erneut.',
      },
      administrator: {
        en: 'The user, group, vault or key has changed since the proposal. Withdraw it and propose the change again.',
        de: 'Der Benutzer, die Gruppe, der Vault oder der Schlüssel hat sich seit dem Vorschlag geändert. Ziehen Sie den Vorschlag zurück und schlagen Sie die Änderung erneut vor.',
      },
    },
  },
  already_assigned: {
    status: 409,
    message: 'The case is assigned to another operator. To reassign it, set take_over to true.',
    meaning:
      'The case is assigned to another operator. The message in the response contains the operator’s ID.',
    remedy: 'Leave the case, or send `{"take_over": true}`.',
    pages: {
      operator: {
        en: 'The case is assigned to another operator. Reload the page.',
        de: 'Der Fall ist einer anderen Person zugewiesen. Laden Sie die Seite neu.',
      },
    },
  },
  check_answered: {
    status: 409,
    message: 'This check already has a different result. The first result is final.',
    meaning: 'A verification provider sent a different result for a check that already has one.',
    remedy: 'Do nothing. The first result is final, and operators can see the second result.',
  },
  external_id_taken: {
    status: 422,
    message: 'An application or identification of this vault has this external_id. Send another external_id.',
    meaning:
      'An application or identification of the vault has this `external_id`. The message in the response shows its ID and its state.',
    remedy:
      'If an earlier request was yours and its response was lost, use the existing resource. Otherwise send another `external_id`. Each application needs its own `external_id`, even after a rejection.',
  },
  external_uuid_taken: {
    status: 422,
    message: 'An identification of this vault has this external_uuid. Send another external_uuid.',
    meaning:
      'An identification of the vault has this `external_uuid`. The message in the response shows its ID and its state.',
    remedy:
      'If an earlier request was yours and its response was lost, use the existing identification. Otherwise send another `external_uuid`.',
  },
  cursor_expired: {
    status: 410,
    message:
      'The feed no longer contains all events after this cursor. Fetch the current data, and omit after to begin at the oldest event.',
    meaning:
      'Events after the cursor were deleted at the end of their retention period. Or the database was restored from a backup that is older than the cursor.',
    remedy: 'Fetch the current data of your resources. Then read the feed without `after`.',
  },
  event_id_taken: {
    status: 422,
    message: 'Another event of this vault has this event_id. Send a new event_id for each event.',
    meaning:
      'An event with different content was published to the vault with this `event_id`. None of the request’s events was published.',
    remedy:
      'Send a new `event_id` for each event. To repeat an event, send the same content. Gatehouse publishes it once and returns the same response.',
  },
  email_taken: {
    status: 422,
    message: 'Another user has this email address. Change that user, or use a different email address.',
    meaning: 'A user with this email address exists.',
    remedy: 'Change that user, or use a different email address.',
    pages: {
      administrator: {
        en: 'Another user has this email. Change that user instead.',
        de: 'Ein anderer Benutzer hat diese E-Mail-Adresse. Bearbeiten Sie stattdessen diesen Benutzer.',
      },
    },
  },
  already_verified: {
    status: 422,
    message: 'Names can be changed only while the identification is initiated. Remove name and surname.',
    meaning: 'The request changes `name` or `surname`, and the verification is no longer `initiated`.',
    remedy: 'Remove `name` and `surname`.',
  },
  invalid_transition: {
    status: 422,
    message:
      'The status of the identification does not allow this request. Fetch the identification to see its status and holds.',
    meaning:
      'The identification’s status does not allow the request, or the review of the company’s application must finish first. Or 100 holds are active, or the identification has 1,000 accounts.',
    remedy: 'Fetch the identification. docs/identifications.md lists what each status allows.',
    pages: {
      applicant: {
        en: 'You have already submitted your details, or the verification is closed. Reload the page to see the current status.',
        de: 'Sie haben Ihre Angaben bereits eingereicht, oder die Prüfung ist geschlossen. Laden Sie die Seite neu, um den Status zu sehen.',
      },
      operator: {
        en: 'The status of the case no longer allows this action. Check the current status.',
        de: 'Der Status des Falls lässt diese Aktion nicht mehr zu. Prüfen Sie den aktuellen Status.',
      },
    },
  },
  cannot_close: {
    status: 422,
    message:
      'Only an identification that is initiated or approved can be closed. Fetch it to see its status.',
    meaning: 'The identification is neither `initiated` nor `approved`.',
    remedy: 'Fetch the identification to see its status. It may already be closed or blocked.',
  },
  cannot_block: {
    status: 422,
    message: 'Only an approved identification can be blocked. Fetch it to see its status.',
    meaning: 'The identification is neither `approved` nor `blocked`.',
    remedy:
      'Fetch the identification to see its status. If the verification is in progress, wait for its result.',
  },
  cannot_unblock: {
    status: 422,
    message:
      'Only a blocked identification that was not closed can be unblocked. Fetch it to see its status.',
    meaning: 'The identification is not `blocked`, or the client closed it permanently.',
    remedy: 'Fetch the identification to see its status.',
  },
  blocked_by_internal_case: {
    status: 422,
    message: 'Identification has blocks managed by an internal case. Contact support.',
    meaning: 'An internal hold blocks the identification.',
    remedy: 'Contact support. Unblock the identification after the hold is lifted.',
  },
  requirements_due: {
    status: 422,
    message: 'The application is incomplete. Provide the items listed in requirements.reasons.',
    meaning: 'The application cannot be approved because a required item is missing or not accepted.',
    remedy: 'Provide the items listed in `requirements.reasons`. Each item states why it is due.',
    pages: {
      applicant: {
        en: 'Some details are missing. Complete them, then submit again.',
        de: 'Einige Angaben fehlen. Ergänzen Sie die Angaben und reichen Sie sie dann erneut ein.',
      },
      operator: {
        en: 'The application is incomplete, so you cannot approve it. Request the missing items.',
        de: 'Der Antrag ist unvollständig und kann nicht genehmigt werden. Fordern Sie die fehlenden Angaben an.',
      },
    },
  },
  reason_contradicts: {
    status: 422,
    message:
      'The reason does not fit the outcome. For an approval, send complete or other. For requested changes, send a documents_ reason, information_mismatch or other.',
    meaning: 'The `reason_code` does not fit the outcome of the decision or confirmation.',
    remedy:
      'For an approval, send `complete` or `other`. For requested changes, send `documents_missing`, `documents_unreadable`, `information_mismatch` or `other`. Otherwise, send any reason except `complete`.',
    pages: {
      operator: {
        en: 'Select a reason that fits the outcome',
        de: 'Wählen Sie einen Grund, der zum Ergebnis passt',
      },
    },
  },
  decision_pending: {
    status: 422,
    message: 'A decision awaits a second approval. Confirm or withdraw it first.',
    meaning: 'One operator’s decision awaits confirmation by another.',
    remedy: 'Confirm or withdraw the decision, then decide.',
    pages: {
      operator: {
        en: 'A decision is already awaiting second approval. Confirm or withdraw that decision first.',
        de: 'Eine Entscheidung wartet bereits auf die zweite Freigabe. Bestätigen Sie diese Entscheidung oder ziehen Sie sie zurück.',
      },
    },
  },
  no_decision_pending: {
    status: 422,
    message: 'No decision awaits a second approval. Fetch the resource to see its state.',
    meaning:
      'No decision awaits confirmation. Another operator may have confirmed or withdrawn it, or the data may have changed.',
    remedy: 'Fetch the resource again.',
    pages: {
      operator: {
        en: 'The decision is no longer awaiting approval. It was confirmed or withdrawn, or the case has changed.',
        de: 'Die Entscheidung wartet nicht mehr auf Freigabe. Sie wurde bestätigt oder zurückgezogen, oder der Fall hat sich geändert.',
      },
    },
  },
  hits_open: {
    status: 422,
    message: 'There are open screening hits. Confirm or dismiss each hit first.',
    meaning:
      'Screening found a possible match for the company, a beneficiary or the person, and no operator has decided on the hit.',
    remedy:
      'Read `screening.hits` in the operators’ response, and decide on each hit with `POST /operator/v1/screening_hits/{id}/decision`.',
    pages: {
      operator: {
        en: 'Review all screening hits before you approve the case',
        de: 'Prüfen Sie alle Screening-Treffer, bevor Sie den Fall genehmigen',
      },
    },
  },
  not_screened: {
    status: 422,
    message: 'Screening has not finished. Retry in a few seconds.',
    meaning: 'The current data has not been screened yet, or the screening service is unavailable.',
    remedy: 'Retry the decision in a few seconds.',
    pages: {
      operator: {
        en: 'Screening has not finished. Try again in a few seconds.',
        de: 'Das Screening ist noch nicht abgeschlossen. Versuchen Sie es in einigen Sekunden erneut.',
      },
    },
  },
  delivery_in_progress: {
    status: 422,
    message: 'This delivery is in progress. Wait until its status is completed, partial or failed.',
    meaning: 'The delivery is `pending` or `processing`, so it cannot be sent again yet.',
    remedy: 'Wait until its status is `completed`, `partial` or `failed`.',
    pages: {
      operator: {
        en: 'This event has already been resent. The list shows its current status.',
        de: 'Dieses Ereignis wurde bereits erneut gesendet. Die Liste zeigt den aktuellen Status.',
      },
    },
  },
  resend_in_progress: {
    status: 409,
    message:
      'Failed deliveries of this URL are already being sent again. Stop that first, or wait until it ends.',
    meaning: 'The failed deliveries of the URL are being sent again.',
    remedy: 'Wait until this ends, or stop it with `POST /webhook_urls/{id}/resend/stop`.',
    pages: {
      administrator: {
        en: 'Failed deliveries of this URL are already being sent again. Stop that first.',
        de: 'Fehlgeschlagene Zustellungen dieser URL werden bereits erneut gesendet. Brechen Sie das zuerst ab.',
      },
    },
  },
  no_urls_configured: {
    status: 422,
    message: 'No URL is registered for this topic. Add one with PUT /users/update_webhook first.',
    meaning: 'The topic of the delivery has no URLs.',
    remedy: 'Register a URL with `PUT /users/update_webhook` first.',
    pages: {
      operator: {
        en: 'The event was not sent, because the client has no URL for its topic. Ask the client to register one.',
        de: 'Das Ereignis wurde nicht gesendet, da der Kunde keine URL für das Thema hat. Bitten Sie ihn, eine URL zu registrieren.',
      },
    },
  },
  no_failed_urls: {
    status: 422,
    message: 'No registered URL failed in the latest round. To send to all URLs, omit only_failed.',
    meaning: 'The request contains `only_failed`, and no registered URL failed in the latest round.',
    remedy: 'To send to all URLs of the topic, omit `only_failed`.',
    pages: {
      operator: {
        en: 'The event was not sent, because no registered URL failed in the latest round. Resend it to all URLs.',
        de: 'Das Ereignis wurde nicht gesendet, da zuletzt keine registrierte URL fehlschlug. Senden Sie es an alle URLs.',
      },
    },
  },
} as const
