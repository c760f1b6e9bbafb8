/** Lists the texts that the field tables require in each language. A missing text is a type error. */
import type { ConditionalIn, NameIn, OptionIn } from '../../domain/fields/field.ts'
import type {
  ASKED_BY_PROFILES,
  PERSON_FIELDS,
  SpecifiedPhoto,
} from '../../domain/identification/person-form.ts'
import type { BENEFICIARY_FIELDS } from '../../domain/kyb/fields/beneficiaries.ts'
import type { KYB_FIELDS, Section } from '../../domain/kyb/fields.ts'

type Tables =
  | (typeof KYB_FIELDS)[Section]
  | typeof BENEFICIARY_FIELDS
  | (typeof PERSON_FIELDS)[keyof typeof PERSON_FIELDS]
  | typeof ASKED_BY_PROFILES

export type FieldTextName =
  | `field.${NameIn<Tables> | SpecifiedPhoto}`
  | `option.${OptionIn<Tables>}`
  | `because.${ConditionalIn<Tables>}`
