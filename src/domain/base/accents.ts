/** Reduces letters to their basic forms. */

export const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '')
