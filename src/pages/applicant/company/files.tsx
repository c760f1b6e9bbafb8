/** Documents that a company's form sends: added to a list of the company's or of one person's, and removed from it. */
import type { Request, Response } from 'express'
import { attachedFiles } from '../../../db/cases/file.ts'
import { findKybApplication } from '../../../db/cases/kyb-application.ts'
import type { Problem } from '../../../domain/errors.ts'
import { decideKyb } from '../../../domain/kyb/application.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { discardOrLeave } from '../../../http/upload.ts'
import { sendPage } from '../../answer.tsx'
import { fileRefusal, receiveFile } from '../files.ts'
import { run, statusOf } from '../save.tsx'
import { OwnerForm } from './owners.tsx'
import { SectionForm } from './section-form.tsx'
import { filesIn, ownersOf } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

/** Where the list is: on a person's page, or on that of the company's documents. */
interface List {
  readonly visit: CompanyVisit
  readonly person: Beneficiary | null
  readonly attribute: string
  /** Of the list, in the API. */
  readonly path: string
}

/** The page of the list, with what is wrong at the list. */
function answer(res: Response, { visit, person, attribute, path }: List, problems: readonly Problem[]): void {
  const [first] = problems
  const page = `${visit.base}/${person ? `owners/${person.external_id}` : 'business_files'}`
  if (!first) return void res.redirect(303, `${page}#${path}`)
  const told = [{ field: `${path}-file`, message: fileRefusal(visit.frame, first, attribute) }]
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

export function addFile(deps: RouteDeps, list: List, req: Request, res: Response): Promise<void> {
  const { visit, person, attribute } = list
  return receiveFile(deps, visit, req, res, {
    owner: { kybApplicationId: visit.application.id },
    refusal: decideKyb(visit.application.state, 'attach'),
    field: attribute,
    attach: async ({ id: fileId, sha256 }) => {
      if (sameFiles(list, sha256).length > 0) {
        await discardOrLeave(deps, fileId)
        return []
      }
      const command = { kind: 'attach', fileId, attribute, ...(person && { email: person.email }) } as const
      const problems = await run(deps, visit, visit.target, command)
      if (problems.length === 0) await keepOne(deps, list, sha256)
      return problems
    },
    answer: (problems) => answer(res, list, problems),
  })
}

/** Oldest first. */
const sameFiles = ({ visit, person, path, attribute }: List, sha256: string): string[] => {
  const { application, attached } = visit
  const [section = ''] = path.split('.')
  const values = person ?? application.content[section as keyof typeof application.content]
  return filesIn(visit, values, attribute)
    .map(({ id }) => id)
    .filter((id) => attached.get(id)?.sha256 === sha256)
    .sort()
}

/** The same file may have come twice at the same time: after an interruption, while the first was being stored. */
async function keepOne(deps: RouteDeps, list: List, sha256: string): Promise<void> {
  const { visit, person } = list
  const { target } = visit
  const application = await findKybApplication(deps.db, target.vaultId, target.id)
  if (!application) return
  const attached = await attachedFiles(deps.db, { kybApplicationId: target.id })
  const now = {
    ...list,
    visit: { ...visit, application, attached },
    person: ownersOf(application).find(({ external_id }) => external_id === person?.external_id) ?? null,
  }
  for (const fileId of sameFiles(now, sha256).slice(1))
    await run(deps, visit, target, { kind: 'detach', fileId, attribute: list.attribute })
}

export async function removeFile(deps: RouteDeps, list: List, fileId: string, res: Response): Promise<void> {
  const { visit, attribute } = list
  const problems = await run(deps, visit, visit.target, { kind: 'detach', fileId, attribute })
  // It is gone already, after a second press of the button.
  answer(
    res,
    list,
    problems.filter(({ code }) => code !== 'not_found'),
  )
}
