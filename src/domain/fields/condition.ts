/** Rules for the conditions under which a field is required, and their wording in the API. */
import type { Condition, Field, Fields } from './field.ts'
import { isGiven } from './values.ts'

type ValueAt = (field: string) => unknown

/** Returns whether the field's value meets the condition. */
function holds(condition: Condition, value: unknown): boolean {
  if ('is' in condition) return value === condition.is
  if ('isNot' in condition) return isGiven(value) && value !== condition.isNot
  if ('has' in condition) return Array.isArray(value) && value.includes(condition.has)
  return isGiven(value)
}

/** Returns the condition as text for the API, such as "`nesting_confirmation` is true". */
export function describeCondition(condition: Condition): string {
  const name = `\`${condition.field.split('.').at(-1)}\``
  if ('is' in condition) return `${name} is ${condition.is === true ? 'true' : `\`${condition.is}\``}`
  if ('isNot' in condition) return `${name} is not \`${condition.isNot}\``
  if ('has' in condition) return `${name} contains \`${condition.has}\``
  return `${name} is set`
}

/** Returns the names of the fields that these values make required, whether they are filled in or not. */
export const requiredIn = (fields: Fields, valueAt: ValueAt): string[] =>
  Object.entries(fields).flatMap(([name, { required }]) =>
    required === true || (required && holds(required, valueAt(required.field))) ? [name] : [],
  )

/** Returns whether pages show the question for these values. */
export const isAsked = ({ asked }: Field, valueAt: ValueAt): boolean =>
  asked === undefined || holds(asked, valueAt(asked.field))

/** Returns the names of empty fields that pages ask for with the new values, but not with the earlier ones. */
export const newlyAsked = (fields: Fields, prefix: string, before: ValueAt, after: ValueAt): string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    !isAsked(field, before) && isAsked(field, after) && !isGiven(after(prefix + name)) ? name : [],
  )
