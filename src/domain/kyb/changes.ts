/** Rules for comparing two versions of an application. */
import type { Fields, FieldType } from '../fields/field.ts'
import type { Beneficiary, KybContent } from './fields.ts'
import { type Form, PLACES, personValue, valuesOf } from './form.ts'
import { beneficiaryPath, PEOPLE_PATH } from './requirements.ts'

/** One changed field. `null` stands for an empty field or an absent person. A file appears with its ID and name. */
export interface Change {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

type Values = Readonly<Record<string, unknown>>

export function changesBetween(
  form: Form,
  before: KybContent,
  after: KybContent,
  fileName: (id: string) => string,
): Change[] {
  const shown = (type: FieldType, value: unknown) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return null
    return type === 'files' ? (value as string[]).map((id) => ({ id, name: fileName(id) })) : value
  }
  const shownOf = (fields: Fields, read: (name: string) => unknown): Values =>
    Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, shown(type, read(name))]))
  const changed = (prefix: string, was: Values, is: Values): Change[] =>
    Object.keys(was)
      .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
      .map((name) => ({ path: `${prefix}${name}`, before: was[name], after: is[name] }))
  const shownPerson = (each: Beneficiary) => shownOf(form.person, (name) => personValue(each, name))
  const peopleOf = ({ beneficiaries }: KybContent): Map<string, Values> =>
    new Map(beneficiaries.beneficiaries_list.map((each) => [each.external_id, shownPerson(each)]))
  const [were, are] = [peopleOf(before), peopleOf(after)]
  return [
    ...PLACES.flatMap((place) => {
      const of = (content: KybContent) =>
        shownOf(form.company[place], (name) => valuesOf(content, place)[name])
      return changed(`${place}.`, of(before), of(after))
    }),
    ...[...new Set([...were.keys(), ...are.keys()])].flatMap((id): Change[] => {
      const [was = null, is = null] = [were.get(id), are.get(id)]
      if (was && is) return changed(beneficiaryPath(id, ''), was, is)
      return [{ path: `${PEOPLE_PATH}.${id}`, before: was, after: is }]
    }),
  ]
}
