/** Documents that a form sends: added to a list of the company's or of one person's, and removed from it. */
import type { Request, Response } from 'express'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { decideKyb } from '../../domain/kyb-application.ts'
import type { Beneficiary } from '../../domain/kyb-fields.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { discardUpload, receiveUpload } from '../../http/kyb-upload.ts'
import { sendMessage, sendPage } from '../answer.tsx'
import { labelOf } from '../fields.tsx'
import type { Translate } from '../texts/index.ts'
import { isFromHere, isOurForm, type Visit } from '../visit.ts'
import { OwnerForm } from './owners.tsx'
import { run, statusOf } from './save.tsx'
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
const FILE_PROBLEMS = {
  unsupported_file_type: 'problem.file.type',
  file_too_large: 'problem.file.size',
  service_unavailable: 'problem.away',
  kyb_processed: 'problem.locked',
  kyb_abandoned: 'problem.ended',
  required: 'problem.file.required',
  too_many: 'problem.tooMany',
} as const

const textOf = (t: Translate, label: string, code: string): string =>
  t(FILE_PROBLEMS[code as keyof typeof FILE_PROBLEMS] ?? 'problem.file.other', { label })

/** The page of the list, with what is wrong at the list. */
function answer(res: Response, { visit, person, attribute, path }: List, problems: readonly Problem[]): void {
  const { t } = visit.frame
  const [first] = problems
  const page = `${visit.base}/${person ? `owners/${person.external_id}` : 'business_files'}`
  if (!first) return void res.redirect(303, page)
  const told = [{ field: `${path}-file`, message: textOf(t, labelOf(t, attribute), first.code) }]
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
  // What cannot be discarded now, housekeeping sweeps.
  if (file && problems.length > 0)
    await discardUpload(deps, file.id).catch((err) =>
      deps.log.warn({ err }, 'an upload was left to housekeeping'),
    )
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
