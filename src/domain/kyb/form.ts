/** Rules for the form of an application: the fields of its profile, and the facts that their conditions depend on. */
import type { Facts } from '../fields/condition.ts'
import { NO_POSTCODE } from '../fields/countries.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { HasFormat } from '../fields/formats.ts'
import { BENEFICIARY_FIELDS } from './fields/beneficiaries.ts'
import { type Beneficiary, KYB_FIELDS, type KybContent, SECTIONS, type Section } from './fields.ts'

/** A part of the content. `additional` contains the company's fields that a profile adds. */
export type Place = Section | 'additional'
export const PLACES: readonly Place[] = [...SECTIONS, 'additional']

/** The beginning of the names of fields that a profile adds. */
export const ADDED = 'additional.'

/** The section of the fields that pages ask of beneficiaries at their link. */
export const LINK_SECTION = 'link'

export interface Form {
  readonly version: number
  /** The fields of the company, keyed by place and name. */
  readonly company: Readonly<Record<Place, Fields>>
  /** The fields of each beneficiary, keyed by name. The names of added fields begin with `additional.` */
  readonly person: Fields
  /** The countries of each group that conditions can name. */
  readonly groups: NonNullable<Facts['groups']>
  /** The current date, as `YYYY-MM-DD`. */
  readonly today: string
  /** Checks formats of numbers. If absent, all numbers have them. */
  readonly hasFormat?: HasFormat
}

/** The form with the specified fields only. */
export const DEFAULT_FORM: Form = {
  version: 0,
  company: { ...KYB_FIELDS, additional: {} },
  person: BENEFICIARY_FIELDS,
  groups: { no_postcode: NO_POSTCODE },
  today: '',
}

type Values = Readonly<Record<string, unknown>>

export const valuesOf = (content: KybContent, place: Place): Values => (content[place] ?? {}) as Values

/** Returns the fields of a beneficiary that a profile adds, keyed by the part of their names after `additional.` */
export const addedFields = ({ person }: Pick<Form, 'person'>): Fields =>
  Object.fromEntries(
    Object.entries(person).flatMap(([name, field]) =>
      name.startsWith(ADDED) ? [[name.slice(ADDED.length), field]] : [],
    ),
  )

/** Returns the fields that pages ask of a beneficiary at the link. */
export const fieldsAtLink = ({ person }: Pick<Form, 'person'>): Fields =>
  Object.fromEntries(Object.entries(person).filter(([, { section }]) => section === LINK_SECTION))

export const personValue = (person: Readonly<Partial<Beneficiary>>, name: string): unknown =>
  name.startsWith(ADDED) ? person.additional?.[name.slice(ADDED.length)] : (person as Values)[name]

/** Returns the additional values in fields that the form does not have, but an earlier version of the profile had. */
export const retiredValues = (additional: Values | undefined, fields: Fields): Values =>
  Object.fromEntries(Object.entries(additional ?? {}).filter(([name]) => !Object.hasOwn(fields, name)))

/** Returns the value of the company's field at a path. */
export function valueIn(content: KybContent, path: string): unknown {
  const [place = '', name = ''] = path.split('.')
  return PLACES.includes(place as Place) ? valuesOf(content, place as Place)[name] : undefined
}

/** Returns the facts for the conditions of the company's fields. */
export const factsOf = ({ groups, today, hasFormat }: Form, content: KybContent): Facts => ({
  groups,
  today,
  ...(hasFormat && { hasFormat }),
  valueAt: (path) => valueIn(content, path),
})

/**
 * Returns the facts for the conditions of a beneficiary's fields. They name the person's fields, and the company's fields
 * by their paths.
 */
export function factsOfPerson(
  form: Form,
  content: KybContent,
  person: Readonly<Partial<Beneficiary>>,
): Facts {
  const company = factsOf(form, content)
  const valueAt = (field: string) =>
    Object.hasOwn(form.person, field) ? personValue(person, field) : company.valueAt(field)
  return { ...company, valueAt }
}

/** Values that can be changed. */
type Changeable = { [name: string]: unknown }

/** Returns the values of one place, for changes. */
export function changeable(content: KybContent, place: Place): Changeable {
  if (place === 'additional') content.additional ??= {}
  return content[place] as Changeable
}

/** Returns the changeable values that contain the company's field at a path, and the field's name among them. */
export function companyHolder(content: KybContent, path: string): [values: Changeable, name: string] {
  const [place = '', name = ''] = path.split('.')
  return [changeable(content, place as Place), name]
}

/** Returns the changeable values that contain a beneficiary's field, and the field's name among them. */
export function personHolder(person: Beneficiary, field: string): [values: Changeable, name: string] {
  if (!field.startsWith(ADDED)) return [person, field]
  person.additional ??= {}
  return [person.additional, field.slice(ADDED.length)]
}

/** Returns the values of the company's fields, keyed by the paths of the fields. */
export const companyValues = (content: KybContent, fields: Fields): Values =>
  Object.fromEntries(Object.keys(fields).map((path) => [path, valueIn(content, path)]))

/** Returns the values of all fields of a beneficiary, keyed by the names of the fields. */
export const personValues = (
  { person: fields }: Pick<Form, 'person'>,
  person: Readonly<Partial<Beneficiary>>,
): Values => Object.fromEntries(Object.keys(fields).map((name) => [name, personValue(person, name)]))

/** Returns the company's fields that pages show in a section, keyed by path. Added documents belong to the documents. */
export const fieldsIn = ({ company }: Pick<Form, 'company'>, section: Section): Fields =>
  Object.fromEntries([
    ...Object.entries(company[section]).map(([name, field]) => [`${section}.${name}`, field]),
    ...Object.entries(company.additional)
      .filter(([, field]) => (field.type === 'files' ? 'business_files' : field.section) === section)
      .map(([name, field]) => [ADDED + name, field]),
  ])

const namesOfFiles = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => fields[name]?.type === 'files')

/** Returns the company's file lists as paths, keyed by the attribute that names each in an upload. */
export const fileLists = ({ company }: Pick<Form, 'company'>): ReadonlyMap<string, string> =>
  new Map(
    PLACES.flatMap((place) =>
      namesOfFiles(company[place]).map((name) => {
        const path = `${place}.${name}`
        return [place === 'additional' ? path : name, path] as const
      }),
    ),
  )

/** Returns the names of each beneficiary's file lists, which are also the attributes of uploads. */
export const personFileLists = ({ person }: Pick<Form, 'person'>): readonly string[] => namesOfFiles(person)

/** Returns the row of the field at a path, or undefined if the path does not belong to a field. */
export function fieldAt(form: Form, path: string): Field | undefined {
  const [place = '', name = '', id, ...ofPerson] = path.split('.')
  if (id !== undefined)
    return place === 'beneficiaries' && name === 'beneficiaries_list'
      ? own(form.person, ofPerson.join('.'))
      : undefined
  return PLACES.includes(place as Place) ? own(form.company[place as Place], name) : undefined
}

const own = (fields: Fields, name: string): Field | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined
