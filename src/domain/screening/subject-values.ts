/** Rules for the values of screened subjects, of which empty ones are left out. */

export const given = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined && value.trim() !== '') as string[]),
]
export const countriesOf = (...values: readonly (string | undefined)[]) =>
  given(values).map((value) => value.toLowerCase())
export const optional = <N extends string>(name: N, value: string | undefined) =>
  (value ? { [name]: value } : {}) as { readonly [K in N]?: string }
