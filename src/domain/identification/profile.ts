/** Rules for profiles: the data of a person, or of a company without a KYB application. */
export type Profile = Readonly<Record<string, string>>
