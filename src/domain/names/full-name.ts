/** Rules for the names of people, some of whom have only one. */

/** The surname of a person who has only one name. */
export const ONE_NAME = '-'

const hasLetters = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Returns the surname to store. A surname without letters states that the person has only one name. */
export const surnameOf = (given: string): string => (hasLetters(given) ? given : ONE_NAME)

/** Returns the surname to show, which is empty if the person has only one name. */
export const shownSurname = (stored: string | undefined): string =>
  stored && hasLetters(stored) ? stored : ''

/**
 * Returns the full name in the order of passports, or an empty text. Passports write a single name as the surname, and
 * people then enter a sign as their first name.
 */
export const fullNameOf = ({
  name = '',
  surname,
}: {
  readonly name?: string | undefined
  readonly surname?: string | undefined
}): string => [name, shownSurname(surname)].filter(hasLetters).join(' ') || name
