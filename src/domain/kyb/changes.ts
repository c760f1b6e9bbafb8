/** Rules for comparing two versions of an application. */
import type { Fields, FieldType } from '../fields/field.ts'
import { BENEFICIARY_FIELDS } from './fields/beneficiaries.ts'
import { KYB_FIELDS, type KybContent, SECTIONS } from './fields.ts'
import { beneficiaryPath } from './requirements.ts'

/** One changed field. `null` stands for an empty field or an absent person. A file appears with its ID and name. */
export interface Change {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

type Values = Readonly<Record<string, unknown>>

export function changesBetween(
  before: KybContent,
  after: KybContent,
  fileName: (id: string) => string,
): Change[] {
  const shown = (type: FieldType, value: unknown) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return null
    return type === 'files' ? (value as string[]).map((id) => ({ id, name: fileName(id) })) : value
  }
  const valuesOf = (fields: Fields, values: Values): Values =>
    Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, shown(type, values[name])]))
  const changed = (prefix: string, was: Values, is: Values): Change[] =>
    Object.keys(was)
      .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
      .map((name) => ({ path: `${prefix}${name}`, before: was[name], after: is[name] }))
  const peopleOf = ({ beneficiaries }: KybContent): Map<string, Values> =>
    new Map(
      beneficiaries.beneficiaries_list.map((each) => [each.external_id, valuesOf(BENEFICIARY_FIELDS, each)]),
    )
  const [were, are] = [peopleOf(before), peopleOf(after)]
  return [
    ...SECTIONS.flatMap((section) => {
      const fields = KYB_FIELDS[section]
      return changed(`${section}.`, valuesOf(fields, before[section]), valuesOf(fields, after[section]))
    }),
    ...[...new Set([...were.keys(), ...are.keys()])].flatMap((id): Change[] => {
      const [was = null, is = null] = [were.get(id), are.get(id)]
      if (was && is) return changed(beneficiaryPath(id, ''), was, is)
      return [{ path: `beneficiaries.beneficiaries_list.${id}`, before: was, after: is }]
    }),
  ]
}
