/** The states of pages that tests compare with pictures, with selectors of parts that differ in each run. */
export const PICTURED: Readonly<Record<string, readonly string[]>> = {
  'person-link-en': [],
  'person-consent-en': [],
  'person-details-en': [],
  'person-front-en': [],
  'person-check-missing-en': [],
  'person-check-en': ['main img'],
  'person-waiting-en': [],
  'person-asked-en': [],
  'person-gone-en': [],
  'console-sign-in': [],
  'console-search': [],
  'settings-branding': [],
  'settings-new-user': [],
}
