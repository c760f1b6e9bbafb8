/** What is known of the person or company where no KYB application says it. */
export type Profile = Readonly<Record<string, string>>
