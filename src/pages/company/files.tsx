/** Documents that a form sends: added to a list of the company's or of one person's, and removed from it. */
import type { Request, Response } from 'express'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { decideKyb } from '../../domain/kyb-application.ts'
import type { Beneficiary } from '../../domain/kyb-fields.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { discardOrLeave, receiveUpload } from '../../http/kyb-upload.ts'
import { sendMessage, sendPage } from '../answer.tsx'
import { labelOf } from '../fields.tsx'
import { isFromHere, isOurForm, type Visit } from '../visit.ts'
import { OwnerForm } from './owners.tsx'
import { REFUSALS, run, statusOf } from './save.tsx'
import { SectionForm } from './section-form.tsx'

/** Where the list is: on a person's page, or on that of the company's documents. */
interface List {
  readonly visit: Visit
  readonly person: Beneficiary | null
  readonly attribute: string
  /** Of the list, in the API. */
  readonly path: string
}

/** What is said of a file that was refused. */
const FILE_REFUSALS: typeof REFUSALS = {
  ...REFUSALS,
  unsupported_file_type: 'problem.file.type',
  file_too_large: 'problem.file.size',
  required: 'problem.file.required',
}

/** The page of the list, with what is wrong at the list. */
function answer(res: Response, { visit, person, attribute, path }: List, problems: readonly Problem[]): void {
  const { t } = visit.frame
  const [first] = problems
  const page = `${visit.base}/${person ? `owners/${person.external_id}` : 'business_files'}`
  if (!first) return void res.redirect(303, page)
  const message = t(FILE_REFUSALS[first.code] ?? 'problem.file.other', { label: labelOf(t, attribute) })
  const told = [{ field: `${path}-file`, message }]
  const there = { ...visit, frame: { ...visit.frame, path: page } }
  sendPage(
    res,
    statusOf(problems),
    person ? (
      <OwnerForm visit={there} person={person} problems={told} />
    ) : (
      <SectionForm visit={there} page="business_files" problems={told} />
    ),
  )
}

export async function addFile(deps: RouteDeps, list: List, req: Request, res: Response): Promise<void> {
  const { visit, person, attribute } = list
  const refusal = decideKyb(visit.application.state, 'attach')
  if (refusal || !isFromHere(req)) {
    // What is on its way is not waited for.
    res.setHeader('Connection', 'close')
    return refusal ? answer(res, list, [refusal]) : sendMessage(res, 403, visit.frame, 'stale')
  }
  let file: Awaited<ReturnType<typeof receiveUpload>>
  try {
    file = await receiveUpload(deps, visit.application.id, req, res)
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    res.setHeader('Connection', 'close')
    return answer(res, list, error.problems)
  }
  const isOurs = isOurForm(req, visit.csrf)
  const problems: readonly Problem[] =
    isOurs && file
      ? await run(deps, visit, {
          kind: 'attach',
          fileId: file.id,
          attribute,
          ...(person && { email: person.email }),
        })
      : [{ code: 'required', field: 'file' }]
  if (file && problems.length > 0) await discardOrLeave(deps, file.id)
  if (isOurs) answer(res, list, problems)
  else sendMessage(res, 403, visit.frame, 'stale')
}

export async function removeFile(deps: RouteDeps, list: List, fileId: string, res: Response): Promise<void> {
  const { visit, attribute } = list
  const problems = await run(deps, visit, { kind: 'detach', fileId, attribute })
  // It is gone already, after a second press of the button.
  answer(
    res,
    list,
    problems.filter(({ code }) => code !== 'not_found'),
  )
}
