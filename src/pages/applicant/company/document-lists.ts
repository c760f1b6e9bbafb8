/** Builds the document lists of a company and of its owners, with their files, corrections and addresses. */
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import { BENEFICIARY_FILE_LISTS, type Beneficiary, FILE_LISTS } from '../../../domain/kyb/fields.ts'
import { beneficiaryPath, requiredFields } from '../../../domain/kyb/requirements.ts'
import type { FileList } from '../documents.tsx'
import { filesIn } from './sections.ts'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

type Place = Pick<FileList, 'path' | 'field' | 'action' | 'required'>

const listAt = (visit: CompanyVisit, values: object, place: Place): FileList => ({
  ...place,
  files: filesIn(visit, values, place.field),
  comment: commentOn(visit)(place.path),
  replyHref: replyAt(visit)(place.path),
})

const requiredFirst = (lists: readonly FileList[]): FileList[] =>
  lists.toSorted((a, b) => Number(b.required) - Number(a.required))

/** Returns the document lists of all sections. */
export function documentLists(visit: CompanyVisit): FileList[] {
  const { content } = visit.application
  return requiredFirst(
    [...FILE_LISTS].map(([field, section]) =>
      listAt(visit, content[section], {
        path: `${section}.${field}`,
        field,
        action: `${visit.base}/files/${field}`,
        required: requiredFields(section, content).includes(field),
      }),
    ),
  )
}

export function ownerDocuments(visit: CompanyVisit, person: Beneficiary): FileList[] {
  const { external_id: id } = person
  const required = requiredOfBeneficiary(visit.application, person)
  return requiredFirst(
    [...BENEFICIARY_FILE_LISTS].map((field) =>
      listAt(visit, person, {
        path: beneficiaryPath(id, field),
        field,
        action: `${visit.base}/owners/${id}/files/${field}`,
        required: required.includes(field),
      }),
    ),
  )
}
