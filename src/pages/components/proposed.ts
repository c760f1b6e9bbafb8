/** Proposes answers that follow from earlier ones. */

interface Source {
  readonly field: string
  /** The ends of names that stand for a choice. Without them, both fields have the same answer. */
  readonly ends?: Readonly<Record<string, string>>
}

const country = (field: string): Source => ({ field })

/** The legal forms at the end of names. Forms that differ between countries are left out. */
const LEGAL_FORMS = {
  limited_liability_company:
    'ltd|limited|llc|l\\.l\\.c|gmbh|ug|s\\.?à\\.? ?r\\.?l|sarl|s\\.?r\\.?l|b\\.?v|sp\\. ?z ?o\\. ?o|s\\.r\\.o|d\\.o\\.o|kft|aps',
  public_limited_company: 'plc|p\\.l\\.c|ag|se|s\\.?p\\.?a|n\\.?v',
  limited_partnership: 'kg|lp',
  partnership: 'ohg|llp|gbr',
}

/** The answers from which the form proposes those of later fields, keyed by the later field. */
const SOURCES: Readonly<Record<string, Source>> = {
  'nature_of_business.company_type': {
    field: 'nature_of_business.legal_company_name',
    ends: Object.fromEntries(
      Object.entries(LEGAL_FORMS).map(([form, ends]) => [form, `[\\s,](?:${ends})\\.?\\s*$`]),
    ),
  },
  'nature_of_business.country_address': country('nature_of_business.country_of_incorporation'),
  'nature_of_business.tax_residency_country': country('nature_of_business.country_of_incorporation'),
  'usage_of_account.list_of_countries_operated': country('nature_of_business.country_of_incorporation'),
  address_country: country('nationality'),
  document_country: country('nationality'),
}

/** The attributes with which a script proposes the answer of the field at the path. */
export const proposing = (path: string) => {
  const source = SOURCES[path]
  return source && { 'data-propose': source.field, 'data-ends': source.ends && JSON.stringify(source.ends) }
}

/** Returns the stored value, or the proposal if there is none. The applicant saves the proposal with the form. */
export function proposedOr(stored: unknown, path: string, valueAt: (source: string) => unknown): unknown {
  const source = SOURCES[path]
  if (source === undefined || (stored !== undefined && stored !== null && stored !== '')) return stored
  const value = valueAt(source.field)
  if (!source.ends) return value ?? stored
  const [proposed = stored] =
    Object.entries(source.ends).find(([, end]) => new RegExp(end, 'i').test(String(value ?? ''))) ?? []
  return proposed
}
