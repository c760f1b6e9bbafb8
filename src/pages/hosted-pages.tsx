/** Hosted pages: where verification links lead, and a company's form, filled in without any script. */
import { readFileSync } from 'node:fs'
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import type { VNode } from 'preact'
import { v7 as newId } from 'uuid'
import { consume, LimitReached } from '../access/counter.ts'
import { problemsOf } from '../contracts/common.ts'
import { patchKybBody } from '../contracts/kyb-application.ts'
import { databaseAway } from '../db/database.ts'
import { isKybPassword } from '../db/kyb-password.ts'
import { findLinkedVerification } from '../db/verification-link.ts'
import { type Problem, RequestRefused } from '../domain/errors.ts'
import type { KybPatch } from '../domain/kyb-content.ts'
import { BENEFICIARY_FIELDS, type FieldKind, KYB_FIELDS } from '../domain/kyb-fields.ts'
import type { KybCommand } from '../domain/kyb-transition.ts'
import { addressKey } from '../http/address.ts'
import type { RouteDeps } from '../http/deps.ts'
import { discardUpload, receiveUpload } from '../http/kyb-upload.ts'
import { guardPage } from '../http/page.ts'
import { runCommand } from '../use-cases/command.ts'
import { Check, Done, Overview, OwnerForm, SectionForm } from './company-form.tsx'
import { CompanyLink, LinkGone, Message, VerificationState } from './company-link.tsx'
import { problemText, readFields, type Sent } from './fields.tsx'
import { type FieldProblem, type Frame, render, STYLE_PATH } from './layout.tsx'
import { isSectionPage, PERSON_DOCUMENTS, PERSON_FIELDS, typedFields } from './sections.ts'
import { chooseLanguage, findVisit, frameOf, isOurForm, openSession, type Visit } from './visit.ts'

const STYLE = readFileSync(new URL('./style.css', import.meta.url))

/** Nothing but the page, its style and the forms on it. */
const POLICY = { styleSrc: ["'self'"], formAction: ["'self'"], imgSrc: ["'self'"] }

const MAX_FORM_BYTES = 256 * 1024

export function hostedPages(deps: RouteDeps): Router {
  const router = Router()
  const readForm = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES, parameterLimit: 500 })
  router.use('/verify', async (req, res, next) => {
    await deps.limit(null, req, res)
    next()
  })
  router.get(STYLE_PATH, (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=300').type('css').send(STYLE)
  })
  router.use('/verify', guardPage(POLICY), (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store')
    if (req.method !== 'GET' || !chooseLanguage(deps, req, res)) next()
  })
  router.get('/verify/:token', (req, res) => showLink(deps, req, res))
  router.post('/verify/:token', readForm, (req, res) => openLink(deps, req, res))
  router.use('/verify/kyb/:id', companyForm(deps, readForm))
  router.use('/verify', (req, res) => {
    const frame = frameOf(req, null)
    const { t } = frame
    send(res, 404, <Message frame={frame} title={t('missing.title')} text={t('missing.text')} />)
  })
  router.use('/verify', showFailure(deps))
  return router
}

const send = (res: Response, status: number, page: VNode): void => {
  res.status(status).type('html').send(render(page))
}

async function showLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const linked = await findLinkedVerification(deps.db, String(req.params.token))
  const frame = frameOf(req, linked?.vaultName ?? null)
  if (!linked) send(res, 404, <LinkGone frame={frame} />)
  else if (linked.kyb) send(res, 200, <CompanyLink frame={frame} linked={linked} />)
  else send(res, 200, <VerificationState frame={frame} linked={linked} />)
}

/** A link alone opens nothing: programs that look at mails follow links, too. */
async function openLink(deps: RouteDeps, req: Request, res: Response): Promise<void> {
  const { db, kybPasswordTries } = deps
  const linked = await findLinkedVerification(db, String(req.params.token))
  const frame = frameOf(req, linked?.vaultName ?? null)
  if (!linked?.kyb) return void send(res, 404, <LinkGone frame={frame} />)
  const { id, vaultId, identificationId } = linked.kyb
  const refuse = (status: number, message: string) =>
    send(
      res,
      status,
      <CompanyLink frame={frame} linked={linked} problems={[{ field: 'password', message }]} />,
    )
  const key = `${id}:${addressKey(db.encryption, req)}`
  try {
    // Counted before the check, so that tries at the same time cannot outrun the limit.
    await consume(kybPasswordTries, key)
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    res.setHeader('Retry-After', Math.ceil(error.waitMs / 1000))
    return refuse(429, frame.t('link.company.tooMany'))
  }
  const password = String((req.body as Sent | undefined)?.password ?? '').trim()
  if (!(await isKybPassword(db, vaultId, id, password))) return refuse(422, frame.t('link.company.wrong'))
  await kybPasswordTries.reward(key)
  await openSession(deps, req, res, identificationId)
  res.redirect(303, `/verify/kyb/${identificationId}`)
}

type FormHandler = (visit: Visit, req: Request, res: Response) => void | Promise<void>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function companyForm(deps: RouteDeps, readForm: RequestHandler): Router {
  const router = Router({ mergeParams: true })
  const inSession =
    (handler: FormHandler): RequestHandler =>
    async (req, res) => {
      const id = String(req.params.id)
      const visit = UUID.test(id) ? await findVisit(deps, req, id) : null
      if (visit) return handler(visit, req, res)
      const frame = frameOf(req, null)
      const { t } = frame
      send(res, 401, <Message frame={frame} title={t('session.title')} text={t('session.text')} />)
    }
  /** What was typed stays with whoever typed it: the browser keeps it for the way back. */
  const fromOurForm =
    (handler: FormHandler): FormHandler =>
    (visit, req, res) => {
      if (isOurForm(req, visit.csrf)) return handler(visit, req, res)
      const { frame } = visit
      const { t } = frame
      send(res, 403, <Message frame={frame} title={t('problem.summary')} text={t('session.stale')} />)
    }
  const post = (path: string, handler: FormHandler) =>
    router.post(path, readForm, inSession(fromOurForm(handler)))

  router.get(
    '/',
    inSession((visit, _req, res) => show(visit, res)),
  )
  router.get(
    '/check',
    inSession((visit, _req, res) => show(visit, res, <Check visit={visit} />)),
  )
  router.get(
    '/done',
    inSession((visit, _req, res) => send(res, 200, <Done visit={visit} />)),
  )
  post('/check', (visit, _req, res) => {
    if (visit.application.state.completed) res.redirect(303, `${visit.base}/done`)
    else show(visit, res, <Check visit={visit} />)
  })
  router.get(
    '/owners/:owner',
    inSession((visit, req, res) => showOwner(visit, req, res)),
  )
  post('/owners/:owner', (visit, req, res) => saveOwner(deps, visit, req, res))
  post('/owners/:owner/remove', async (visit, req, res) => {
    const person = ownerOf(visit, req)
    if (!person) return missing(visit, res)
    const problems = await run(deps, visit, patchOwner({ email: person.email, _destroy: true }))
    if (problems.length === 0) return res.redirect(303, `${visit.base}/beneficiaries`)
    send(
      res,
      statusOfPage(problems),
      <OwnerForm visit={visit} person={person} problems={told(visit.frame, problems)} />,
    )
  })
  for (const path of ['/files/:attribute', '/owners/:owner/files/:attribute']) {
    router.post(
      path,
      inSession((visit, req, res) => upload(deps, visit, req, res)),
    )
    post(`${path}/:file/remove`, async (visit, req, res) => {
      const { attribute = '', file = '' } = req.params as Record<string, string>
      const problems = await run(deps, visit, { kind: 'detach', fileId: file, attribute })
      backToFiles(visit, req, res, told(visit.frame, problems))
    })
  }
  router.get(
    '/:page',
    inSession((visit, req, res) => {
      const page = String(req.params.page)
      if (!isSectionPage(page)) return missing(visit, res)
      show(visit, res, <SectionForm visit={visit} page={page} />)
    }),
  )
  post('/:page', (visit, req, res) => saveSection(deps, visit, req, res))
  return router
}

/** The page while something can be entered; afterwards there is one page, the end. */
function show(visit: Visit, res: Response, page: VNode = <Overview visit={visit} />): void {
  const isOpen = visit.application.state.status === 'open'
  send(res, 200, isOpen ? page : <Done visit={visit} />)
}

function missing({ frame }: Visit, res: Response): void {
  const { t } = frame
  send(res, 404, <Message frame={frame} title={t('missing.title')} text={t('missing.text')} />)
}

/** The reasons against a command; none when it is applied. */
async function run(
  deps: RouteDeps,
  { target, actor }: Visit,
  command: KybCommand,
): Promise<readonly Problem[]> {
  try {
    await runCommand(deps, { actor, effect: { id: newId(), again: false } }, target, command)
    return []
  } catch (error) {
    if (error instanceof RequestRefused) return error.problems
    if (databaseAway(error)) return [{ code: 'service_unavailable' }]
    throw error
  }
}

const patchOwner = (person: Record<string, unknown>): KybCommand => ({
  kind: 'patch',
  patch: { beneficiaries: { beneficiaries_list: [person] } } as KybPatch,
})

const statusOfPage = (problems: readonly Problem[]): number =>
  problems.some(({ code }) => code === 'service_unavailable') ? 503 : 422

/** What is not about one field, in words for whoever fills the form in. */
function told({ t }: Frame, problems: readonly Problem[]): FieldProblem[] {
  const texts = problems.map(({ code }) => {
    if (code === 'service_unavailable') return t('problem.away')
    if (code === 'kyb_processed' || code === 'kyb_abandoned') return t('problem.locked')
    return t(code === 'too_many' ? 'problem.tooMany' : 'problem.file.other')
  })
  return [...new Set(texts)].map((message) => ({ field: '', message }))
}

/** What is wrong with values that a form sent, at the inputs that sent them. */
function problemsIn({ t }: Frame, patch: object, inputOf: (path: string) => string): FieldProblem[] {
  const { error } = patchKybBody.safeParse(patch, { reportInput: true })
  const found = new Map<string, FieldProblem>()
  for (const { field = '' } of error ? problemsOf(error) : []) {
    const path = field.replace(/\.\d+$/, '')
    const name = path.split('.').at(-1) ?? ''
    const kinds: Record<string, FieldKind> = Object.assign(
      {},
      ...Object.values(KYB_FIELDS),
      BENEFICIARY_FIELDS,
    )
    const input = inputOf(path)
    if (!found.has(input)) found.set(input, { field: input, message: problemText(t, name, kinds[name]) })
  }
  return [...found.values()]
}

async function saveSection(deps: RouteDeps, visit: Visit, req: Request, res: Response): Promise<void> {
  const page = String(req.params.page)
  if (!isSectionPage(page)) return missing(visit, res)
  const { frame, base } = visit
  const values = readFields(`${page}.`, typedFields(page), (req.body ?? {}) as Sent)
  const patch = { [page]: values } as KybPatch
  const wrong = problemsIn(frame, patch, (path) => path)
  const refused = wrong.length > 0 ? [] : await run(deps, visit, { kind: 'patch', patch })
  if (wrong.length + refused.length === 0) return res.redirect(303, base)
  const typed = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [`${page}.${field}`, value]),
  )
  const problems = [...wrong, ...told(frame, refused)]
  send(
    res,
    statusOfPage(refused),
    <SectionForm visit={visit} page={page} problems={problems} typed={typed} />,
  )
}

const ownerOf = ({ application }: Visit, req: Request) =>
  application.content.beneficiaries.beneficiaries_list.find(
    ({ external_id }) => external_id === req.params.owner,
  )

function showOwner(visit: Visit, req: Request, res: Response): void {
  const person = ownerOf(visit, req)
  if (!person && req.params.owner !== 'new') missing(visit, res)
  else show(visit, res, <OwnerForm visit={visit} person={person ?? null} />)
}

async function saveOwner(deps: RouteDeps, visit: Visit, req: Request, res: Response): Promise<void> {
  const person = ownerOf(visit, req) ?? null
  if (!person && req.params.owner !== 'new') return missing(visit, res)
  const { frame, base, application } = visit
  const prefix = `beneficiaries.beneficiaries_list.${person?.external_id ?? 'new'}.`
  const values = readFields(prefix, PERSON_FIELDS, (req.body ?? {}) as Sent)
  const email = person?.email ?? String(values.email ?? '')
  const patch = patchOwner({ ...values, email }) as Extract<KybCommand, { kind: 'patch' }>
  const wrong = problemsIn(frame, patch.patch, (path) => prefix + (path.split('.').at(-1) ?? ''))
  const isTaken = application.content.beneficiaries.beneficiaries_list.some(
    (other) => !person && other.email === email.toLowerCase(),
  )
  if (isTaken) wrong.push({ field: `${prefix}email`, message: frame.t('owners.taken') })
  const refused = wrong.length > 0 ? [] : await run(deps, visit, patch)
  if (wrong.length + refused.length === 0) return res.redirect(303, `${base}/beneficiaries`)
  const typed = Object.fromEntries(Object.entries(values).map(([field, value]) => [prefix + field, value]))
  const problems = [...wrong, ...told(frame, refused)]
  send(
    res,
    statusOfPage(refused),
    <OwnerForm visit={visit} person={person} problems={problems} typed={typed} />,
  )
}

/** Where the file's list is, with what is wrong about it. */
function backToFiles(visit: Visit, req: Request, res: Response, problems: readonly FieldProblem[]): void {
  const person = ownerOf(visit, req)
  if (problems.length === 0) {
    const page = person ? `owners/${person.external_id}` : 'business_files'
    res.redirect(303, `${visit.base}/${page}`)
  } else if (person) send(res, 422, <OwnerForm visit={visit} person={person} problems={problems} />)
  else send(res, 422, <SectionForm visit={visit} page="business_files" problems={problems} />)
}

/** What is said of a file that was refused. */
const FILE_PROBLEMS = {
  unsupported_file_type: 'problem.file.type',
  file_too_large: 'problem.file.size',
  service_unavailable: 'problem.away',
  kyb_processed: 'problem.locked',
  kyb_abandoned: 'problem.locked',
} as const

async function upload(deps: RouteDeps, visit: Visit, req: Request, res: Response): Promise<void> {
  const { attribute = '' } = req.params as Record<string, string>
  const person = ownerOf(visit, req)
  const { t } = visit.frame
  const known = person ? PERSON_DOCUMENTS.includes(attribute) : req.params.owner === undefined
  if (!known) return missing(visit, res)
  const refuse = (problems: readonly Problem[]) => {
    const [first] = problems
    const code = first?.code as keyof typeof FILE_PROBLEMS
    backToFiles(visit, req, res, [{ field: '', message: t(FILE_PROBLEMS[code] ?? 'problem.file.other') }])
  }
  let received: Awaited<ReturnType<typeof receiveUpload>>
  try {
    received = await receiveUpload(deps, visit.application.id, req, res)
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    // What is still on its way is not waited for.
    res.setHeader('Connection', 'close')
    return refuse(error.problems)
  }
  const file = received
  const isOurs = isOurForm(req, visit.csrf)
  if (!file) return backToFiles(visit, req, res, [{ field: '', message: t('problem.file.required') }])
  const command = {
    kind: 'attach',
    fileId: file.id,
    attribute,
    ...(person && { email: person.email }),
  } as const
  const problems = isOurs ? await run(deps, visit, command) : [{ code: 'not_found' } as const]
  if (problems.length === 0) return backToFiles(visit, req, res, [])
  // What cannot be discarded now, housekeeping sweeps.
  await discardUpload(deps, file.id).catch((err) =>
    deps.log.warn({ err }, 'an upload was left to housekeeping'),
  )
  refuse(problems)
}

function showFailure({ log }: RouteDeps): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const frame = frameOf(req, null)
    const { t } = frame
    if (res.headersSent) return void res.destroy()
    const isRefusal = error instanceof RequestRefused || (error as { status?: number }).status === 413
    const status = isRefusal ? 400 : databaseAway(error) ? 503 : 500
    if (status >= 500) log.error({ err: error, status }, 'a page failed')
    if (error instanceof RequestRefused && error.problems.some(({ code }) => code === 'rate_limited'))
      res.status(429)
    else res.status(status)
    send(res, res.statusCode, <Message frame={frame} title={t('failed.title')} text={t('failed.text')} />)
  }
}
