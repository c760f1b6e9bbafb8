/** Use cases that show operators the data that was removed under a legal hold or an internal hold. */
import { readRetiredLists } from '../../db/access/profile.ts'
import { findLinksOfRemoved } from '../../db/cases/beneficiary.ts'
import { findKeptValues } from '../../db/cases/kept-value.ts'
import { FOR_OPERATORS, findAttachedFiles } from '../../db/files/file.ts'
import type { Fields } from '../../domain/fields/field.ts'
import { filesIn, formOf, type PersonFile } from '../../domain/identification/person-form.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { Additional } from '../../domain/kyb/fields.ts'
import { ADDED, addedFields, type Form, retiredValues } from '../../domain/kyb/form.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { peopleIn, valuesOnly, withKeptContent, withKeptProfile } from '../../domain/review/removed.ts'
import type { PersonPhoto } from '../../domain/review/review.ts'
import type { WithDb } from '../base/deps.ts'

/** Returns the identification and its photos, completed with the removed data. */
export async function showKeptOfPerson({ db }: WithDb, identification: Identification) {
  const { id, vaultId, profile } = identification
  const form = formOf(identification)
  const removed = valuesOnly(await findKeptValues(db, { entity: 'identification', id, vaultId }))
  const files = await findAttachedFiles(db, { identificationId: id }, FOR_OPERATORS)
  const places = [
    ...filesIn(form).flatMap((attribute) => {
      const fileId = profile[attribute]
      return fileId === undefined ? [] : [{ attribute, fileId }]
    }),
    ...removed.flatMap(({ path, value, isFile }) =>
      isFile ? [{ attribute: path as PersonFile, fileId: String(value) }] : [],
    ),
  ]
  const photos = places.flatMap(({ attribute, fileId }): PersonPhoto[] => {
    const file = files.get(fileId)
    return file ? [{ attribute, ...file }] : []
  })
  const unknown = photos.map(({ attribute }) => attribute).filter((name) => !(name in form.photos))
  const retired = await readRetiredLists(
    db,
    vaultId,
    form.version,
    ({ applicant }) => applicant.photos,
    unknown,
  )
  return {
    identification: {
      ...identification,
      ...(unknown.length > 0 && { form: { ...form, photos: { ...form.photos, ...retired } } }),
      profile: withKeptProfile(profile, removed),
    },
    photos,
    removed,
  }
}

/** Returns the application, completed with the values, files and people that were removed. */
export async function showKeptOfCompany({ db }: WithDb, application: KybApplication) {
  const { id, vaultId, content, files, links } = application
  const removed = await findKeptValues(db, { entity: 'kyb', id, vaultId })
  if (removed.length === 0) return { application: await withRetired(db, application), removed }
  const people = peopleIn(removed).filter((person) => !links.has(person))
  const shown = {
    ...application,
    content: withKeptContent(content, removed),
    files: new Map([...files, ...(await findAttachedFiles(db, { kybApplicationId: id }, ['withheld']))]),
    links: new Map([...links, ...(await findLinksOfRemoved(db, id, people))]),
  }
  return { application: await withRetired(db, shown), removed }
}

/** Returns the application with the file lists that a move to a later version of the profile has removed. */
async function withRetired(db: WithDb['db'], application: KybApplication): Promise<KybApplication> {
  const { vaultId, form, content, files } = application
  const read = (
    of: (fields: Pick<Form, 'company' | 'person'>) => Fields,
    additional: Additional[],
    known: Fields,
  ) => {
    const lists = additional.flatMap((each) => Object.entries(retiredValues(each, known)))
    const stored = lists.filter(([, value]) => Array.isArray(value) && value.some((id) => files.has(id)))
    return readRetiredLists(db, vaultId, form.version, of, [...new Set(stored.map(([name]) => name))])
  }
  const people = content.beneficiaries.beneficiaries_list.map(({ additional = {} }) => additional)
  const ofCompany = await read(
    ({ company }) => company.additional,
    [content.additional ?? {}],
    form.company.additional,
  )
  const ofPerson = await read(addedFields, people, addedFields(form))
  return {
    ...application,
    form: {
      ...form,
      company: { ...form.company, additional: { ...form.company.additional, ...ofCompany } },
      person: {
        ...form.person,
        ...Object.fromEntries(Object.entries(ofPerson).map(([name, field]) => [ADDED + name, field])),
      },
    },
  }
}
