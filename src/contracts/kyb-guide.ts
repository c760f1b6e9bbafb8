/** Describes the fields of an application for the API reference. The texts and examples come from the field tables. */

import { describeCondition } from '../domain/fields/condition.ts'
import type { DescribedFields } from '../domain/fields/field.ts'
import { guideToValue } from '../domain/fields/values.ts'
import { BENEFICIARY_FIELDS } from '../domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS, type Section } from '../domain/kyb/fields.ts'

interface Words {
  readonly description: string
  readonly examples?: readonly string[]
}

/** Descriptions and examples, keyed by field name. */
export type Guide = Readonly<Record<string, Words>>

const guideTo = (fields: DescribedFields, always: string): Guide =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { type, description, example, required }]): [string, Words] => {
      const needed = required === true ? always : required && `Required if ${describeCondition(required)}.`
      const sentences = [description, needed, needed && guideToValue(type)]
      return [
        name,
        {
          description: sentences.filter(Boolean).join(' '),
          ...(example !== undefined && { examples: [example] }),
        },
      ]
    }),
  )

export const KYB_GUIDE = Object.fromEntries(
  SECTIONS.map((section) => [section, guideTo(KYB_FIELDS[section], 'Required for a complete application.')]),
) as Record<Section, Guide>

export const BENEFICIARY_GUIDE = guideTo(BENEFICIARY_FIELDS, 'Required for every beneficiary.')
