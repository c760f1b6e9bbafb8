/** Rules for profiles, which contain the data of a person, or of a company without a KYB application. */
export type Profile = Readonly<Record<string, string>>

/** Returns the country of residence or registration, or else the nationality. Returns null if neither is known. */
export const countryOf = ({ address_country, country, nationality }: Profile): string | null =>
  address_country ?? country ?? nationality ?? null
