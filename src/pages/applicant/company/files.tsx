/** Adds documents to the lists of a company or beneficiary, and removes documents from them. */
import type { Request, Response } from 'express'
import { type Problem, statusOf } from '../../../domain/base/errors.ts'
import { SIDES, type Side } from '../../../domain/base/file.ts'
import { decideKyb } from '../../../domain/kyb/application.ts'
import { TWO_SIDED } from '../../../domain/kyb/fields/beneficiaries.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  attachDocument,
  detachDocument,
  type FileListPlace,
  markAsPassport,
} from '../../../use-cases/applicant/company-form.ts'
import { collectProblems } from '../../routing/refusals.ts'
import { sendPage } from '../../routing/response.tsx'
import { plain, type Sent } from '../../values/form-values.ts'
import { fileRefusal, receiveFile } from '../base/files.ts'
import { rowId } from '../base/upload-form.tsx'
import { SectionForm } from './section-form.tsx'
import type { CompanyVisit } from './visit.ts'

/** A file list of the company or of one of its beneficiaries. */
interface List extends FileListPlace {
  readonly visit: CompanyVisit
  /** The list's path in the API. */
  readonly path: string
}

/** Shows the page that contains the list, with the first problem next to the list. */
function answer(
  res: Response,
  { visit, person, attribute, path, side }: List,
  problems: readonly Problem[],
): void {
  const [first] = problems
  const row = rowId({ path, ...(side && { side }) })
  const way = attribute === TWO_SIDED && !side ? 'passport' : 'upload'
  const page = `${visit.base}/${person ? `owners/${person.external_id}/${way}` : 'business_files'}`
  if (!first) return void res.redirect(303, `${page}#${row}`)
  const shown = [{ field: row, message: fileRefusal(visit.frame, first, attribute) }]
  const there = { ...visit, frame: { ...visit.frame, path: page } }
  sendPage(
    res,
    statusOf(problems),
    <SectionForm
      visit={there}
      page={person ? 'beneficiaries' : 'business_files'}
      problems={shown}
      {...(person && { open: { personId: person.external_id, way } })}
    />,
  )
}

const sideIn = ({ body }: Request, attribute: string): Side | null => {
  const side = plain((body as Sent | undefined)?.side)
  return attribute === TWO_SIDED ? (SIDES.find((each) => each === side) ?? null) : null
}

/** Returns the IDs of the unusable files that the page shows and the upload replaces. */
const replacedIn = ({ body }: Request): string[] => plain((body as Sent | undefined)?.replaces).split(',')

export function addFile(deps: RouteDeps, list: List, req: Request, res: Response): Promise<void> {
  const { visit, attribute } = list
  // The form is parsed when the file arrives.
  const placeIn = () => ({ ...list, side: sideIn(req, attribute) })
  return receiveFile(deps, visit, req, res, {
    owner: { kybApplicationId: visit.application.id },
    refusal: decideKyb(visit.application.state, 'attach'),
    field: attribute,
    attach: (file) =>
      collectProblems(() => attachDocument(deps, visit, visit, placeIn(), file, replacedIn(req))),
    answer: (problems) => answer(res, placeIn(), problems),
  })
}

export async function markPassport(deps: RouteDeps, list: List, fileId: string, res: Response) {
  const { visit } = list
  answer(res, list, await collectProblems(() => markAsPassport(deps, visit, visit, list, fileId)))
}

export async function removeFile(deps: RouteDeps, list: List, fileId: string, res: Response): Promise<void> {
  const { visit, attribute } = list
  const problems = await collectProblems(() => detachDocument(deps, visit.target, visit, attribute, fileId))
  // If the form was sent twice, the first request has already removed the file.
  answer(
    res,
    { ...list, side: visit.application.files.get(fileId)?.side ?? null },
    problems.filter(({ code }) => code !== 'not_found'),
  )
}
