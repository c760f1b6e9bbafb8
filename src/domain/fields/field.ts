/** Rules for the rows of field tables, which define types, requirements and descriptions. */

/** The types of values. `FIELD_RULES` defines which values count, and `VALUES` (contracts) defines their format. */
export type FieldType =
  | 'text'
  | 'short_text'
  | 'boolean'
  | 'confirmation'
  | 'date'
  | 'country'
  | 'country_list'
  | 'url'
  | 'phone'
  | 'email'
  | 'number_text'
  | 'percentage_text'
  | 'files'
  | 'one_of'
  | 'some_of'

/**
 * A condition on a field. A field of an application is identified by its path, and a field of a beneficiary by its
 * name. `isNot` is never true for an empty value.
 */
export type Condition = { readonly field: string } & (
  | { readonly is: string | true }
  | { readonly isNot: string }
  | { readonly has: string }
  | { readonly isGiven: true }
)

interface Row {
  readonly type: FieldType
  /** The description in the API reference. The reference also states when the field is required. */
  readonly description?: string
  /** The example in the API reference, if the type's example does not suit the field. */
  readonly example?: string
  /** When the field is required. If absent, the field is optional. */
  readonly required?: true | Condition
  /**
   * A condition on a field of the same form. Pages ask the question only if the condition is met. If absent, they
   * always ask it.
   */
  readonly asked?: Condition
  /** The currency of an amount, as an ISO 4217 code. */
  readonly currency?: string
  /** Whether pages show a multi-line input. */
  readonly isLong?: true
  /** The value that states that there is nothing to enter. Pages show it as a checkbox. */
  readonly none?: string
  /** The HTML `autocomplete` value, for fields in which companies or people enter their own data. */
  readonly autocomplete?: string
}

interface Choice extends Row {
  readonly type: 'one_of' | 'some_of'
  readonly values: readonly string[]
}

export type Field = (Row & { readonly type: Exclude<FieldType, Choice['type']> }) | Choice
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

/** Returns whether the type has the values yes and no. */
export const isYesOrNo = (type: FieldType | undefined): boolean =>
  type === 'boolean' || type === 'confirmation'
