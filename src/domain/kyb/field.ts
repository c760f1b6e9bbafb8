/** Rules for a row of a field table: its type, when it is required, and its words for the API reference. */

/** The values of each type: `FIELD_RULES` says which count, `VALUES` (contracts) how they are written. */
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

/** Names a field of the application by its path, one of a beneficiary by its name. `isNot` does not hold if nothing is given. */
export type Condition = { readonly field: string } & (
  | { readonly is: string | true }
  | { readonly isNot: string }
  | { readonly has: string }
  | { readonly isGiven: true }
)

interface Row {
  readonly type: FieldType
  /** For the API reference. A sentence on when the field is required is added to it. */
  readonly description?: string
  /** For the API reference, if the type does not have an example that suits every field. */
  readonly example?: string
  /** A field without it is optional. */
  readonly required?: true | Condition
  /** Whether pages offer several lines. */
  readonly isLong?: true
  /** The value of HTML's `autocomplete`, if the company or the person fills in its own data. */
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

/** The values of a table's fields. A field that was never set, or was cleared, is absent. File lists hold file IDs. */
export type Values<T> = { -readonly [F in keyof T]?: ValueOf<T[F]> }

/** The names of the fields in any of these tables. */
export type NameIn<T> = T extends unknown ? keyof T & string : never
/** The values of the choices in them. */
export type OptionIn<T> = T extends unknown ? Extract<T[keyof T], Choice>['values'][number] : never
/** The names of the fields that are required under a condition. */
export type ConditionalIn<T> = T extends unknown
  ? { [F in keyof T]: T[F] extends { required: Condition } ? F & string : never }[keyof T]
  : never

/** Whether the answer is yes or no. */
export const isYesOrNo = (type: FieldType | undefined): boolean =>
  type === 'boolean' || type === 'confirmation'
