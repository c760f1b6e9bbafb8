/** Routes for a person's verification, below `/verify/person/{identification ID}`. */
import type { Request, RequestHandler, Response, Router } from 'express'
import type { VNode } from 'preact'
import { renderSVG } from 'uqr'
import { fillInBodyOf } from '../../../contracts/identification.ts'
import { statusOf } from '../../../domain/base/errors.ts'
import {
  CONSENT,
  encodeValue,
  factsOfApplicant,
  isPersonFile,
  PERSON_FILES,
  valuesOf,
} from '../../../domain/identification/person-form.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { isResultEmailed } from '../../../use-cases/access/vaults.ts'
import { createHandOver, disconnectPhone, isPhoneConnected } from '../../../use-cases/applicant/hand-over.ts'
import {
  answerConsent,
  fillIn,
  replyAsPerson,
  submitPerson,
} from '../../../use-cases/applicant/person-form.ts'
import { getRedirectUrl } from '../../../use-cases/applicant/redirect.ts'
import { showsSubmitted } from '../../../use-cases/applicant/session.ts'
import { isLanguage } from '../../routing/language.ts'
import { collectProblems, explain } from '../../routing/refusals.ts'
import { sendMessage, sendMissing, sendPage } from '../../routing/response.tsx'
import type { Handler } from '../../routing/session-routes.ts'
import type { Sent } from '../../values/form-values.ts'
import { leave, leaveAddress } from '../base/leave.tsx'
import { findSubmitProblems, saveReply } from '../base/reply.tsx'
import { Submitted } from '../base/result.tsx'
import { save } from '../base/save.tsx'
import { applicantRoutes } from '../base/session-routes.ts'
import { Check, openFindings, Summary } from './check.tsx'
import { Consent, Declined } from './consent.tsx'
import { Done } from './done.tsx'
import { FieldsForm, type FieldsPage, isFieldsPage } from './fields-form.tsx'
import { addPhoto, removePhoto, showPhoto } from './files.tsx'
import { LinkForm, saveAtLink } from './link-form.tsx'
import { Overview } from './overview.tsx'
import { duePhotos, Phone, PhoneDone } from './phone.tsx'
import { PhotoPage } from './photo.tsx'
import { hasConsented, isOpen, loadPersonVisit, nextPage, type PersonVisit, pagesOf } from './visit.ts'

export function personRoutes(deps: RouteDeps, readForm: RequestHandler): Router {
  const open = applicantRoutes(deps, 'person', readForm, loadPersonVisit)
  const { router, view, upload } = open
  // A phone to which a computer handed over has access only to the routes of photos.
  const get: typeof open.get = (path, handler) => open.get(path, unlessLimited(handler))
  const press: typeof open.press = (path, handler) => open.press(path, unlessLimited(handler))
  const post: typeof open.post = (path, handler) => open.post(path, unlessLimited(handler))

  get('/', ({ visit, res }) => {
    // At the start, consent is the only possible step.
    const isNew = isOpen(visit) && !hasConsented(visit) && visit.identification.review === null
    if (isNew) res.redirect(303, `${visit.base}/consent`)
    else show(visit, res, <Overview visit={visit} />)
  })
  get('/consent', ({ visit, res }) => show(visit, res, <Consent visit={visit} />))
  press('/consent', ({ deps, visit, req, res }) => consent(deps, visit, req, res))
  get('/check', ({ visit, res }) => showAgreed(visit, res, <Check visit={visit} />))
  press('/check', ({ deps, visit, res }) => submit(deps, visit, res))
  press('/replies', ({ deps, visit, req, res }) =>
    saveReply(visit, req, res, {
      next: `${visit.base}/check`,
      send: (reply) => replyAsPerson(deps, visit, visit, reply),
      showAgain: (problems, typed) => <Check visit={visit} problems={problems} typed={typed} />,
    }),
  )
  get('/done', async ({ deps, visit, res }) => {
    if (isOpen(visit)) return res.redirect(303, visit.base)
    const home = await getRedirectUrl(deps, visit.identification)
    const isEmailed = await isResultEmailed(deps, visit.frame.vault, visit.id)
    sendPage(
      res,
      200,
      <Done visit={visit} home={home} isEmailed={isEmailed}>
        {hasConsented(visit) && (await showsSubmitted(deps, visit)) ? (
          <Submitted frame={visit.frame}>
            <Summary visit={visit} missing={[]} />
          </Submitted>
        ) : null}
      </Done>,
    )
  })

  open.get('/next/:page', ({ visit, req, res }) => {
    const page = pagesOf(visit).find((each) => each === req.params.page)
    res.redirect(303, `${visit.base}/${page ? nextPage(visit, page) : ''}`)
  })
  get('/phone', async ({ deps, visit, res }) => {
    if (!isOpen(visit) || !hasConsented(visit)) res.redirect(303, visit.base)
    else if (duePhotos(visit).length === 0) res.redirect(303, `${visit.base}/check`)
    else sendPage(res, 200, <Phone visit={visit} isConnected={await isPhoneConnected(deps, visit)} />)
  })
  press('/phone/disconnect', async ({ deps, visit, res }) => {
    await disconnectPhone(deps, visit)
    res.redirect(303, `${visit.base}/phone`)
  })
  get('/phone/qr.svg', ({ deps, visit, res }) => {
    const link = `${deps.config.PUBLIC_URL}/verify/phone/${createHandOver(deps, visit)}`
    // Renders the QR code dark on light in every colour scheme, with the quiet zone of 4 modules that scanners need.
    res.type('svg').send(renderSVG(link, { border: 4 }))
  })
  view('/files/:file', ({ deps, visit, req, res }) => showPhoto(deps, visit, String(req.params.file), res))
  upload('/files/:attribute', ({ deps, visit, req, res }) => {
    const attribute = String(req.params.attribute)
    return isPersonFile(attribute, visit.form) && hasConsented(visit)
      ? addPhoto(deps, visit, attribute, req, res)
      : sendMissing(res, visit)
  })
  open.press('/files/:attribute/remove', ({ deps, visit, req, res }) => {
    const attribute = String(req.params.attribute)
    return isPersonFile(attribute, visit.form)
      ? removePhoto(deps, visit, attribute, res)
      : sendMissing(res, visit)
  })

  get('/leave', ({ deps, visit, req, res }) => leave(deps, 'person', visit, req, res))
  press('/leave', ({ deps, visit, req, res }) => leave(deps, 'person', visit, req, res))
  for (const attribute of PERSON_FILES)
    open.get(`/${attribute}`, ({ visit, res }) =>
      pagesOf(visit).includes(attribute)
        ? showAgreed(visit, res, <PhotoPage visit={visit} attribute={attribute} />)
        : sendMissing(res, visit),
    )
  get('/:page', ({ visit, req, res }) => {
    const page = pagesOf(visit).find((each) => each === req.params.page)
    if (page && isFieldsPage(page)) showAgreed(visit, res, <FieldsForm visit={visit} page={page} />)
    else if (page === 'link' && visit.atLink)
      showAgreed(visit, res, <LinkForm visit={visit} atLink={visit.atLink} />)
    else if (page && isPersonFile(page, visit.form))
      showAgreed(visit, res, <PhotoPage visit={visit} attribute={page} />)
    else sendMissing(res, visit)
  })
  post('/:page', ({ deps, visit, req, res }) => {
    const page = String(req.params.page)
    if (page === 'link' && visit.atLink && hasConsented(visit))
      return saveAtLink(deps, visit, visit.atLink, req, res)
    return isFieldsPage(page) && hasConsented(visit)
      ? saveFields(deps, visit, page, req, res)
      : sendMissing(res, visit)
  })
  return router
}

/** In a session that is limited to photos, shows the next photo instead, and refuses forms. */
const unlessLimited =
  (handler: Handler<PersonVisit>): Handler<PersonVisit> =>
  (request) => {
    const { visit, req, res } = request
    if (visit.scope === 'everything') return handler(request)
    if (req.method !== 'GET') return sendMessage(res, 403, visit.frame, 'refused')
    const [next] = isOpen(visit) && hasConsented(visit) ? duePhotos(visit) : []
    if (next) return res.redirect(303, `${visit.base}/${next}`)
    return sendPage(res, 200, <PhoneDone visit={visit} />)
  }

/** Shows the page while the verification waits on the applicant. Otherwise, redirects to the result. */
function show(visit: PersonVisit, res: Response, page: VNode): void {
  if (isOpen(visit)) sendPage(res, 200, page)
  else res.redirect(303, `${visit.base}/done`)
}

/** Shows the page if the person has consented. Otherwise, redirects to the consent page. */
function showAgreed(visit: PersonVisit, res: Response, page: VNode): void {
  if (!isOpen(visit) || hasConsented(visit)) show(visit, res, page)
  else res.redirect(303, `${visit.base}/consent`)
}

async function consent(deps: RouteDeps, visit: PersonVisit, req: Request, res: Response): Promise<void> {
  const { consent: answer, version = CONSENT, shown_in: shown = visit.frame.language } = req.body as Sent
  // An open page may show the texts of an earlier version.
  const agreed = answer === 'yes' && version === CONSENT && isLanguage(shown)
  if (answer !== 'no' && !agreed) {
    const problems = [{ field: 'consent', message: visit.frame.t('consent.unanswered') }]
    return sendPage(res, 422, <Consent visit={visit} problems={problems} />)
  }
  const refused = await collectProblems(() => answerConsent(deps, visit, visit, agreed ? shown : null))
  if (refused.length > 0)
    return sendPage(
      res,
      statusOf(refused),
      <Consent visit={visit} problems={explain(visit.frame, refused)} />,
    )
  if (agreed) res.redirect(303, `${visit.base}/next/consent`)
  else sendPage(res, 200, <Declined visit={visit} />)
}

async function submit(deps: RouteDeps, visit: PersonVisit, res: Response): Promise<void> {
  const refused = isOpen(visit) ? await collectProblems(() => submitPerson(deps, visit, visit)) : []
  if (refused.length === 0) return res.redirect(303, `${visit.base}/done`)
  const problems = findSubmitProblems(visit.frame, openFindings(visit), refused)
  sendPage(res, statusOf(refused), <Check visit={visit} problems={problems} />)
}

function saveFields(deps: RouteDeps, visit: PersonVisit, page: FieldsPage, req: Request, res: Response) {
  const { form, identification } = visit
  const { profile } = identification
  const encoded = (values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeValue(value)]))
  return save(visit, req, res, {
    prefix: '',
    fields: form[page],
    stored: valuesOf(profile, form),
    bodyOf: (values) => values,
    schema: fillInBodyOf(form),
    facts: factsOfApplicant(profile, form),
    apply: (values) => collectProblems(() => fillIn(deps, visit, visit, encoded(values))),
    showAgain: (problems, typed) => (
      <FieldsForm visit={visit} page={page} problems={problems} typed={typed} />
    ),
    next: () => leaveAddress(visit, req) ?? `${visit.base}/next/${page}`,
  })
}
