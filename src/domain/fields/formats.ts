/** Rules for the formats of numbers, which a library checks. */

/** The formats of numbers that registers, tax offices and banks assign. */
export const FORMATS = ['lei', 'vat', 'tax_number', 'registration_number', 'iban'] as const
export type Format = (typeof FORMATS)[number]

/** Returns whether the text has the format, in this country if it is known. */
export type HasFormat = (format: Format, text: string, country: string | undefined) => boolean
