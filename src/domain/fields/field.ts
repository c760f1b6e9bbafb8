/** Rules for the rows of field tables, which define types, requirements and descriptions. */
import { type Condition, type Facts, isMet } from './condition.ts'
import type { Format } from './formats.ts'
import { isGiven } from './given.ts'

/** The types of values. `FIELD_RULES` defines which values count, and `VALUES` (contracts) defines their format. */
export const FIELD_TYPES = [
  'text',
  'short_text',
  'boolean',
  'confirmation',
  'date',
  'country',
  'country_list',
  'url',
  'phone',
  'email',
  'number_text',
  'percentage_text',
  'files',
  'one_of',
  'some_of',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** The limits that a profile sets for values. */
export interface Limits {
  /** The length of a text in characters. */
  readonly min_length?: number
  readonly max_length?: number
  readonly minimum?: string | number
  readonly maximum?: string | number
  /** The maximum number of decimal places. */
  readonly decimals?: number
  /** A date, `today`, a period before today such as `P18Y`, or one after today such as `+P6M`. */
  readonly earliest?: string
  readonly latest?: string
  readonly format?: Format
  /** The field with the country whose numbers are meant, as a path or as a name of a person's field. */
  readonly country?: string
  /** The maximum age of a document, such as `P3M`. Pages ask for the date of its issue. */
  readonly max_age?: string
  /** Whether pages ask when a document expires. */
  readonly expires?: boolean
}

interface Row extends Limits {
  readonly type: FieldType
  /** The description in the API reference. The reference also states when the field is required. */
  readonly description?: string
  /** The example in the API reference, if the type's example does not suit the field. */
  readonly example?: string
  /** When the field is required. If absent, the field is optional. */
  readonly required?: true | Condition
  /** Pages ask the question only if this condition is met. If absent, they always ask it. */
  readonly asked?: Condition
  /** The currency of an amount, as an ISO 4217 code. */
  readonly currency?: string
  /** Whether pages show a multi-line input. */
  readonly isLong?: true
  /** The value that states that there is nothing to enter. Pages show it as a checkbox. */
  readonly none?: string
  /** The section and the group in which pages show a field that a profile adds. */
  readonly section?: string
  readonly group?: string
  /** The texts of a field that a profile adds, keyed by language. */
  readonly texts?: FieldTexts
  /** The list of documents whose date the field contains, and the kind of this date. */
  readonly dates?: { readonly list: string; readonly kind: DocumentDate }
  /** Whether only an earlier version of the profile has the field. Operators still see its documents. */
  readonly isRetired?: true
  /** The conditions of choices, keyed by value. A choice without one is always offered. */
  readonly value_asked?: Readonly<Record<string, Condition>>
  /** The HTML `autocomplete` value, for fields in which companies or people enter their own data. */
  readonly autocomplete?: string
}

export type DocumentDate = 'issued_on' | 'expires_on'

/** The texts of a field, each keyed by language. */
interface FieldTexts {
  readonly label: Readonly<Record<string, string>>
  readonly help: Readonly<Record<string, string>>
  /** The texts of each choice, keyed by value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
}

interface Choice extends Row {
  readonly type: 'one_of' | 'some_of'
  readonly values: readonly string[]
}

interface Other extends Row {
  readonly type: Exclude<FieldType, Choice['type']>
  /** The accepted documents of a file list. */
  readonly values?: readonly string[]
}

export type Field = Other | Choice
export type Fields = Readonly<Record<string, Field>>
export type DescribedFields = Readonly<Record<string, Field & { readonly description: string }>>

type ValueOf<F> = F extends { type: 'boolean' | 'confirmation' }
  ? boolean
  : F extends { type: 'files' }
    ? string[]
    : F extends { type: 'one_of'; values: readonly (infer V)[] }
      ? V
      : F extends { type: 'some_of'; values: readonly (infer V)[] }
        ? V[]
        : string

/** The values of a table's fields. A field that was never set or was cleared is absent. File lists contain file IDs. */
export type Values<T> = { -readonly [F in keyof T]?: ValueOf<T[F]> }

/** The names of the fields in any of these tables. */
export type NameIn<T> = T extends unknown ? keyof T & string : never
/** The options of the choice fields in these tables. */
export type OptionIn<T> = T extends unknown ? Extract<T[keyof T], Choice>['values'][number] : never
/** The names of the fields that are required under a condition. */
export type ConditionalIn<T> = T extends unknown
  ? { [F in keyof T]: T[F] extends { required: Condition } ? F & string : never }[keyof T]
  : never

export const isYesOrNo = (type: FieldType | undefined): boolean =>
  type === 'boolean' || type === 'confirmation'

export const isChoice = (type: FieldType | undefined): type is Choice['type'] =>
  type === 'one_of' || type === 'some_of'

/**
 * Returns the names of the fields that these answers make required, whether they are filled in or not. A field for which
 * pages do not ask, or offer no choice, is not required.
 */
export const requiredIn = (fields: Fields, facts: Facts): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const { required } = field
    const isRequired = required === true || (required !== undefined && isMet(required, facts))
    return isRequired && isAsked(field, facts) && hasChoice(field, facts) ? [name] : []
  })

/** Returns the choices of a field that are offered with these answers, or the accepted documents of a file list. */
export const offered = (field: Field, facts: Facts): readonly string[] =>
  (field.values ?? []).filter((value) => {
    const condition = field.value_asked?.[value]
    return condition === undefined || isMet(condition, facts)
  })

const hasChoice = (field: Field, facts: Facts): boolean =>
  !isChoice(field.type) || offered(field, facts).length > 0

export const isAsked = ({ asked }: Field, facts: Facts): boolean => asked === undefined || isMet(asked, facts)

/** Returns the names of empty fields that pages ask for with the new answers, but not with the earlier ones. */
export const newlyAsked = (fields: Fields, prefix: string, before: Facts, after: Facts): string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    !isAsked(field, before) && isAsked(field, after) && !isGiven(after.valueAt(prefix + name)) ? name : [],
  )
