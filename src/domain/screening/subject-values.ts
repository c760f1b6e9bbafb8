/** Rules for the values of screened subjects, of which empty ones are left out. */

import { STATELESS } from '../fields/countries.ts'

export const given = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined && value.trim() !== '') as string[]),
]
/** Returns the codes in lower case, without that of stateless people, who have no country to compare. */
export const countriesOf = (...values: readonly (string | undefined)[]) =>
  given(values).flatMap((value) => (value === STATELESS ? [] : value.toLowerCase()))
export const optional = <N extends string>(name: N, value: string | undefined) =>
  (value ? { [name]: value } : {}) as { readonly [K in N]?: string }
