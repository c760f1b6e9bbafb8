/** The countries that the form proposes from an earlier answer, keyed by field. */
const SOURCES: Readonly<Record<string, string>> = {
  'nature_of_business.country_address': 'nature_of_business.country_of_incorporation',
  'nature_of_business.tax_residency_country': 'nature_of_business.country_of_incorporation',
  'usage_of_account.list_of_countries_operated': 'nature_of_business.country_of_incorporation',
  address_country: 'nationality',
  document_country: 'nationality',
}

/** Returns the field whose answer is proposed for the field at the path. */
export const sourceOf = (path: string): string | undefined => SOURCES[path]

/** Returns the stored value, or the proposal if there is none. The applicant saves the proposal with the form. */
export function proposedOr(stored: unknown, path: string, valueAt: (source: string) => unknown): unknown {
  const source = sourceOf(path)
  return source === undefined || (stored !== undefined && stored !== null && stored !== '')
    ? stored
    : (valueAt(source) ?? stored)
}
