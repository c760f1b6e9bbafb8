/** Routes for the company form, below `/verify/kyb/{identification ID}`. */
import type { Request, RequestHandler, Response, Router } from 'express'
import type { VNode } from 'preact'
import { statusOf } from '../../../domain/base/errors.ts'
import { MAX_REPLY } from '../../../domain/decision/decision.ts'
import { kybWaitingOn } from '../../../domain/kyb/application.ts'
import { WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { type Beneficiary, personIn } from '../../../domain/kyb/fields.ts'
import { fileLists, personFileLists } from '../../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { isResultEmailed } from '../../../use-cases/access/vaults.ts'
import {
  getCompanyResult,
  renewOwnerLink,
  replyAsCompany,
  submitCompany,
} from '../../../use-cases/applicant/company-form.ts'
import { collectProblems } from '../../routing/refusals.ts'
import { sendMissing, sendPage } from '../../routing/response.tsx'
import { plain, type Sent } from '../../values/form-values.ts'
import { leave } from '../base/leave.tsx'
import { findSubmitProblems, replyPlace, replyProblem, saveReply } from '../base/reply.tsx'
import { applicantRoutes } from '../base/session-routes.ts'
import { Done } from './done.tsx'
import { addFile, markPassport, removeFile } from './files.tsx'
import { Overview } from './overview.tsx'
import { OwnerForm, RemoveOwner } from './owner-form.tsx'
import { qrCodeOf } from './owner-link.tsx'
import { ReplyPage } from './reply-page.tsx'
import { removeOwner, saveOwner, saveSection } from './save.tsx'
import { SectionForm } from './section-form.tsx'
import { isSectionPage, nextAddress, personPlace, type SectionPage, WAYS } from './sections.ts'
import { Check, openFindings } from './summary.tsx'
import { type CompanyVisit, loadCompanyVisit } from './visit.ts'

const FILES = ['/files/:attribute', '/owners/:owner/files/:attribute']

export function companyRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const { router, get, post, press, upload } = applicantRoutes(deps, 'kyb', readForm, loadCompanyVisit)

  const showDone = async (visit: CompanyVisit, res: Response) => {
    const result = await getCompanyResult(deps, visit.application)
    const isEmailed = await isResultEmailed(deps, visit.frame.vault, visit.application.identificationId)
    sendPage(res, 200, <Done visit={visit} isEmailed={isEmailed} {...result} />)
  }
  /** Shows the page while the application is open, and the result afterwards. */
  const show = (visit: CompanyVisit, res: Response, page: VNode) =>
    visit.application.state.status === 'open' ? sendPage(res, 200, page) : showDone(visit, res)

  get('/', ({ visit, res }) => show(visit, res, <Overview visit={visit} />))
  get('/check', ({ visit, res }) => show(visit, res, <Check visit={visit} />))
  press('/check', ({ deps, visit, req, res }) => submit(deps, visit, req, res))
  press('/replies', ({ deps, visit, req, res }) =>
    saveReply(visit, req, res, {
      next: `${visit.base}/next/reply`,
      send: (reply) => replyAsCompany(deps, visit, visit, reply),
      showAgain: (problems, typed, finding) => (
        <ReplyPage visit={visit} finding={finding} problems={problems} typed={typed} />
      ),
    }),
  )
  get('/replies', ({ visit, req, res }) => {
    const { path, file_id } = req.query
    const { corrections, replies } = visit.application
    const finding = [...corrections, ...replies].find((each) => each.path === path && each.fileId === file_id)
    if (!finding) return res.redirect(303, `${visit.base}/check`)
    return show(visit, res, <ReplyPage visit={visit} finding={finding} />)
  })
  get('/leave', ({ deps, visit, req, res }) => leave(deps, 'kyb', visit, req, res))
  press('/leave', ({ deps, visit, req, res }) => leave(deps, 'kyb', visit, req, res))
  get('/done', async ({ visit, res }) => {
    if (kybWaitingOn(visit.application.state) === 'client') res.redirect(303, `${visit.base}/check`)
    else await showDone(visit, res)
  })

  get('/next/:page', ({ visit, req, res }) => {
    res.redirect(303, nextAddress(visit, String(req.params.page)))
  })

  get('/owners/new', ({ visit, res }) => show(visit, res, <OwnerForm visit={visit} person={null} />))
  post('/owners/new', ({ deps, visit, req, res }) => saveOwner(deps, visit, null, req, res))
  get('/owners/:owner', ({ visit, req, res }) =>
    withOwner(visit, req, res, (person) => show(visit, res, <OwnerForm visit={visit} person={person} />)),
  )
  post('/owners/:owner', ({ deps, visit, req, res }) =>
    withOwner(visit, req, res, (person) => saveOwner(deps, visit, person, req, res)),
  )
  for (const way of WAYS)
    get(`/owners/:owner/${way}`, ({ visit, req, res }) =>
      withOwner(visit, req, res, ({ external_id: personId }) =>
        show(visit, res, <SectionForm visit={visit} page="beneficiaries" open={{ personId, way }} />),
      ),
    )
  get('/owners/:owner/qr.svg', ({ visit, req, res }) =>
    withOwner(visit, req, res, (person) => res.type('svg').send(qrCodeOf(visit, person))),
  )
  get('/owners/:owner/remove', ({ visit, req, res }) =>
    withOwner(visit, req, res, (person) => show(visit, res, <RemoveOwner visit={visit} person={person} />)),
  )
  press('/owners/:owner/link', ({ deps, visit, req, res }) =>
    withOwner(visit, req, res, async (person) => {
      await renewOwnerLink(deps, visit, visit, person.external_id)
      const id = person.external_id
      res.redirect(303, `${visit.base}/owners/${id}/link#${personPlace(id)}`)
    }),
  )
  press('/owners/:owner/remove', ({ deps, visit, req, res }) =>
    removeOwner(deps, visit, String(req.params.owner), res),
  )

  upload(FILES, ({ deps, visit, req, res }) =>
    withList(visit, req, res, (list) => addFile(deps, list, req, res)),
  )
  for (const path of FILES)
    press(`${path}/:file/remove`, ({ deps, visit, req, res }) =>
      withList(visit, req, res, (list) => removeFile(deps, list, String(req.params.file), res)),
    )
  press(`/owners/:owner/files/:attribute/:file/passport`, ({ deps, visit, req, res }) =>
    withList(visit, req, res, (list) => markPassport(deps, list, String(req.params.file), res)),
  )

  get('/:page', ({ visit, req, res }) =>
    withPage(visit, req, res, (page) => show(visit, res, <SectionForm visit={visit} page={page} />)),
  )
  post('/:page', ({ deps, visit, req, res }) =>
    withPage(visit, req, res, (page) => saveSection(deps, visit, page, req, res)),
  )
  return router
}

async function submit(deps: RouteDeps, visit: CompanyVisit, req: Request, res: Response): Promise<void> {
  const reply = plain((req.body as Sent).reply)
  if (reply.length > MAX_REPLY) {
    const place = replyPlace({ path: WHOLE_APPLICATION })
    const problems = [replyProblem(visit.frame, place)]
    return sendPage(res, 422, <Check visit={visit} problems={problems} typed={{ [place]: reply }} />)
  }
  const refused = await collectProblems(() => submitCompany(deps, visit, visit, reply || undefined))
  if (refused.length === 0) return res.redirect(303, `${visit.base}/done`)
  const problems = findSubmitProblems(visit.frame, openFindings(visit), refused)
  sendPage(res, statusOf(refused), <Check visit={visit} problems={problems} />)
}

function withPage(visit: CompanyVisit, req: Request, res: Response, handle: (page: SectionPage) => unknown) {
  const page = String(req.params.page)
  return isSectionPage(page) ? handle(page) : sendMissing(res, visit)
}

function withOwner(
  visit: CompanyVisit,
  req: Request,
  res: Response,
  handle: (person: Beneficiary) => unknown,
) {
  const person = personIn(visit.application.content, String(req.params.owner))
  return person ? handle(person) : sendMissing(res, visit)
}

function withList(
  visit: CompanyVisit,
  req: Request,
  res: Response,
  handle: (list: Parameters<typeof addFile>[1]) => unknown,
) {
  const attribute = String(req.params.attribute)
  const { form } = visit.application
  if (req.params.owner !== undefined && personFileLists(form).includes(attribute))
    return withOwner(visit, req, res, (person) => {
      const path = beneficiaryPath(person.external_id, attribute)
      return handle({ visit, person, attribute, path })
    })
  const path = fileLists(form).get(attribute)
  if (req.params.owner === undefined && path) return handle({ visit, person: null, attribute, path })
  return sendMissing(res, visit)
}
