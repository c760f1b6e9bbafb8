/** Names of fields: in snake case in JSON and in SQL, and in camel case in records. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

export const inCamelCase = (name: string): string =>
  name.replace(/_(.)/g, (_all, first: string) => first.toUpperCase())
