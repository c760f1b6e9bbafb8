/** The initials of the operator, whose email differs in each run. */
const OPERATOR = '.rail-tool .avatar'

/** The states of pages that tests compare with pictures, with selectors of parts that differ in each run. */
export const PICTURED: Readonly<Record<string, readonly string[]>> = {
  'company-overview-en': [],
  'company-company-en': [],
  'company-owners-en': ['.copy-field input'],
  'company-documents-en': [],
  'company-check-en': [],
  'company-fix': [],
  'company-approved': [],
  'company-rejected': [],
  'person-link-en': [],
  'person-consent-en': [],
  'person-details-en': [],
  'person-front-en': [],
  'person-check-missing-en': [],
  'person-check-en': ['main img'],
  'person-waiting-en': [],
  'person-attention-en': [],
  'person-asked-en': [],
  'person-gone-en': [],
  'person-approved-en': [],
  'person-rejected-en': [],
  waiting: [],
  'console-sign-in': [],
  'console-search': [OPERATOR],
  'console-queue': [OPERATOR],
  'console-kyb': [OPERATOR],
  'console-company': [OPERATOR],
  'console-drawer': [OPERATOR],
  'console-person': [OPERATOR, '.picture img'],
  'console-hit': [OPERATOR],
  'console-found': [OPERATOR],
  figures: [OPERATOR],
  // Earlier files may have created companies with the same email.
  case: [OPERATOR, '[data-place]', '.film-page canvas', '#duplicates'],
  'settings-branding': [OPERATOR],
  'settings-new-user': [OPERATOR],
}

/** The pictured states that also have pictures in the dark scheme. */
export const PICTURED_IN_DARK: ReadonlySet<string> = new Set([
  'company-company-en',
  'company-approved',
  'company-rejected',
  'person-details-en',
  'person-attention-en',
  'person-approved-en',
  'person-rejected-en',
  'waiting',
  'console-queue',
  'console-kyb',
  'console-person',
  'console-hit',
  'figures',
])
