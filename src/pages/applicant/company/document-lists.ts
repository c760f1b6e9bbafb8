/** Builds the document lists of a company and of its owners, with their files, corrections and addresses. */
import { SIDES } from '../../../domain/base/file.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import {
  type Place as FormPlace,
  factsOf,
  factsOfPerson,
  fieldAt,
  fileLists,
  personFileLists,
  personValue,
  valueIn,
} from '../../../domain/kyb/form.ts'
import { beneficiaryPath, requiredFields } from '../../../domain/kyb/requirements.ts'
import { acceptedText } from '../base/documents.tsx'
import type { FileList } from '../base/upload-form.tsx'
import { filesIn } from './sections.ts'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

type Place = Pick<FileList, 'path' | 'field' | 'action' | 'required' | 'accepted'>

const listAt = (visit: CompanyVisit, ids: unknown, place: Place): FileList => ({
  ...place,
  files: filesIn(visit, ids),
  comment: commentOn(visit)(place.path),
  replyHref: replyAt(visit)(place.path),
})

const requiredFirst = (lists: readonly FileList[]): FileList[] =>
  lists.toSorted((a, b) => Number(b.required) - Number(a.required))

export function documentLists(visit: CompanyVisit): FileList[] {
  const { form, content } = visit.application
  return requiredFirst(
    [...fileLists(form)].map(([field, path]) => {
      const [place = '', name = ''] = path.split('.')
      return listAt(visit, valueIn(content, path), {
        path,
        field,
        action: `${visit.base}/files/${field}`,
        required: requiredFields(form, place as FormPlace, content).includes(name),
        accepted: acceptedText(visit.frame, name, fieldAt(form, path), factsOf(form, content)),
      })
    }),
  )
}

export function ownerDocuments(visit: CompanyVisit, person: Beneficiary): FileList[] {
  const { external_id: id } = person
  const { form, content } = visit.application
  const required = requiredOfBeneficiary(visit.application, person)
  return requiredFirst(
    personFileLists(form).map((field) =>
      listAt(visit, personValue(person, field), {
        path: beneficiaryPath(id, field),
        field,
        action: `${visit.base}/owners/${id}/files/${field}`,
        required: required.includes(field),
        accepted: acceptedText(visit.frame, field, form.person[field], factsOfPerson(form, content, person)),
      }),
    ),
  )
}

/**
 * Splits the list of identity documents into one list for each side of an identity card. Returns null if the list has a
 * passport, a file with both sides, or a comment of a reviewer.
 */
export function sidesOf({ due }: CompanyVisit, list: FileList): FileList[] | null {
  const { path, files } = list
  const reason = due.find((each) => each.path === path)?.reason
  const comment = reason === 'front_missing' || reason === 'back_missing' ? null : list.comment
  if (comment !== null || files.some(({ side }) => !side)) return null
  return SIDES.map((side) => ({ ...list, comment, side, files: files.filter((file) => file.side === side) }))
}
