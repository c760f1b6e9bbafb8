/** Use cases that show operators the data that was removed under a legal hold or an internal hold. */
import { findLinksOfRemoved } from '../../db/cases/beneficiary.ts'
import { FOR_OPERATORS, findAttachedFiles } from '../../db/cases/file.ts'
import { findKeptValues } from '../../db/cases/kept-value.ts'
import { filesIn, formOf, isPersonFile } from '../../domain/identification/person-form.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import {
  type KeptValue,
  peopleIn,
  valuesOnly,
  withKeptContent,
  withKeptProfile,
} from '../../domain/review/removed.ts'
import type { PersonPhoto } from '../../domain/review/review.ts'
import type { Deps } from '../base/deps.ts'

/** Returns the identification and its photos, completed with the removed data. */
export async function showKeptOfPerson({ db }: Pick<Deps, 'db'>, identification: Identification) {
  const { id, vaultId, profile } = identification
  const form = formOf(identification)
  const removed = valuesOnly(await findKeptValues(db, { entity: 'identification', id, vaultId }))
  const files = await findAttachedFiles(db, { identificationId: id }, FOR_OPERATORS)
  const places = [
    ...filesIn(form).flatMap((attribute) => {
      const fileId = profile[attribute]
      return fileId === undefined ? [] : [{ attribute, fileId }]
    }),
    ...removed.flatMap(({ path, value }) =>
      isPersonFile(path, form) ? [{ attribute: path, fileId: String(value) }] : [],
    ),
  ]
  const photos = places.flatMap(({ attribute, fileId }): PersonPhoto[] => {
    const file = files.get(fileId)
    return file ? [{ attribute, ...file }] : []
  })
  return {
    identification: { ...identification, profile: withKeptProfile(profile, removed) },
    photos,
    removed,
  }
}

/** Returns the application, completed with the values, files and people that were removed. */
export async function showKeptOfCompany(
  { db }: Pick<Deps, 'db'>,
  application: KybApplication,
): Promise<{ readonly application: KybApplication; readonly removed: readonly KeptValue[] }> {
  const { id, vaultId, content, files, links } = application
  const removed = await findKeptValues(db, { entity: 'kyb', id, vaultId })
  if (removed.length === 0) return { application, removed }
  const people = peopleIn(removed).filter((person) => !links.has(person))
  const shown = {
    ...application,
    content: withKeptContent(content, removed),
    files: new Map([...files, ...(await findAttachedFiles(db, { kybApplicationId: id }, ['withheld']))]),
    links: new Map([...links, ...(await findLinksOfRemoved(db, id, people))]),
  }
  return { application: shown, removed }
}
