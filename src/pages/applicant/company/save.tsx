/** Saves the forms of a company and its beneficiaries. */
import type { Request, Response } from 'express'
import { patchKybBody } from '../../../contracts/kyb-application.ts'
import { additionalOf } from '../../../contracts/kyb-sections.ts'
import { statusOf } from '../../../domain/base/errors.ts'
import type { KybPatch } from '../../../domain/kyb/edit.ts'
import { type Beneficiary, isSameEmail, personIn } from '../../../domain/kyb/fields.ts'
import { ADDED, companyValues, factsOf, factsOfPerson, personValues } from '../../../domain/kyb/form.ts'
import { groupsOf } from '../../../domain/kyb/groups.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { patchCompany } from '../../../use-cases/applicant/company-form.ts'
import { isAddressPart } from '../../components/address.ts'
import { collectProblems, explain } from '../../routing/refusals.ts'
import { sendPage } from '../../routing/response.tsx'
import { plain, readFields, type Sent } from '../../values/form-values.ts'
import { leaveAddress } from '../base/leave.tsx'
import { type SentForm, save } from '../base/save.tsx'
import { GroupHead, headOf, QuestionLabel, requiredOf } from './field-groups.tsx'
import { OwnerForm, RemoveOwner } from './owner-form.tsx'
import { progressParts } from './page.tsx'
import { SectionForm } from './section-form.tsx'
import { ownerFields, ownersOf, raisedAddress, type SectionPage, typedFields } from './sections.ts'
import { type CompanyVisit, loadCompanyVisit } from './visit.ts'

/** Saves the values of a form as `PATCH /kyb/{id}` would. */
function patching(
  deps: RouteDeps,
  visit: CompanyVisit,
  patchOf: (values: Readonly<Record<string, unknown>>) => KybPatch,
): Pick<SentForm, 'bodyOf' | 'schema' | 'apply'> {
  return {
    bodyOf: patchOf,
    schema: patchKybBody.pipe(additionalOf(visit.application.form)),
    apply: (values) => collectProblems(() => patchCompany(deps, visit, visit, patchOf(values))),
  }
}

/** Returns a patch with values that are keyed by path. */
function byPlace(values: Readonly<Record<string, unknown>>): KybPatch {
  const patch: Record<string, Record<string, unknown>> = {}
  for (const [path, value] of Object.entries(values)) {
    const [place = '', name = ''] = path.split('.')
    patch[place] = { ...patch[place], [name]: value }
  }
  return patch
}

export function saveSection(
  deps: RouteDeps,
  visit: CompanyVisit,
  page: SectionPage,
  req: Request,
  res: Response,
): Promise<void> {
  const { application } = visit
  const fields = typedFields(application, page)
  return save(visit, req, res, {
    ...patching(deps, visit, byPlace),
    prefix: '',
    fields,
    parts: () => changedParts(deps, visit, page),
    stored: companyValues(application.content, fields),
    facts: factsOf(application.form, application.content),
    showAgain: (problems, typed) => (
      <SectionForm visit={visit} page={page} problems={problems} typed={typed} />
    ),
    // If an answer raises another question, the form shows this question before the next section.
    next: (values) =>
      leaveAddress(visit, req) ?? raisedAddress(visit, page, values) ?? `${visit.base}/next/${page}`,
  })
}

/** Renders the progress, the heads of the section's groups, and the labels of the address after a save. */
async function changedParts(deps: RouteDeps, visit: CompanyVisit, page: SectionPage) {
  const now = (await loadCompanyVisit(deps, visit)) ?? visit
  const { rail, progress } = progressParts(now, page)
  const groups = groupsOf(now.application.form, page)
  const heads = groups.map((group) => [
    `#${headOf(group)}`,
    <GroupHead key={group.name} visit={now} group={group} problems={[]} />,
  ])
  const required = requiredOf(now)
  const labels = groups
    .flatMap(({ paths }) => paths.filter(isAddressPart))
    .map((path) => [
      `label[for="${path}"]`,
      <QuestionLabel key={path} visit={now} path={path} required={required} />,
    ])
  return { '.rail': rail, '.progress': progress, ...Object.fromEntries([...heads, ...labels]) }
}

/** Returns a patch of one person, with values that are keyed by the names of the fields. */
export function patchOwner(values: Readonly<Record<string, unknown>>): KybPatch {
  const entries = Object.entries(values)
  const added = entries.filter(([name]) => name.startsWith(ADDED))
  const person = Object.fromEntries(entries.filter(([name]) => !name.startsWith(ADDED)))
  const additional = Object.fromEntries(added.map(([name, value]) => [name.slice(ADDED.length), value]))
  return {
    beneficiaries: { beneficiaries_list: [{ ...person, ...(added.length > 0 && { additional }) }] },
  }
}

/** Saves the form of an owner. `person` is null for a new person. */
export function saveOwner(
  deps: RouteDeps,
  visit: CompanyVisit,
  person: Beneficiary | null,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame, base, application } = visit
  const prefix = beneficiaryPath(person?.external_id ?? 'new', '')
  const next = `${base}/next/owners`
  const { form } = application
  const fields = ownerFields(application)
  const known = (email: unknown) =>
    ownersOf(application).find(
      (other) => other.external_id !== person?.external_id && isSameEmail(other.email, String(email)),
    )
  if (person === null) {
    const sent = (req.body ?? {}) as Sent
    const typed = readFields({ prefix, fields, sent, language: frame.language })
    const added = known(typed.email)
    // If the form was sent twice, the person is added only once.
    if (added && isSamePerson(typed, personValues(form, added)))
      return Promise.resolve(res.redirect(303, next))
  }
  return save(visit, req, res, {
    ...patching(deps, visit, (values) =>
      patchOwner(
        person ? { ...values, external_id: person.external_id } : { ...values, email: values.email ?? '' },
      ),
    ),
    prefix,
    fields,
    stored: person ? personValues(form, person) : {},
    facts: factsOfPerson(form, application.content, person ?? {}),
    problemsOf: ({ email }) =>
      email !== undefined && known(email)
        ? explain(frame, [{ code: 'duplicate_beneficiary' }]).map((each) => ({
            ...each,
            field: `${prefix}email`,
          }))
        : [],
    showAgain: (problems, typed) => (
      <OwnerForm visit={visit} person={person} problems={problems} typed={typed} />
    ),
    next: () => leaveAddress(visit, req) ?? next,
  })
}

/** Compares the details, except the email, which `known` has already compared without regard to case. */
const isSamePerson = (
  typed: Readonly<Record<string, unknown>>,
  { email, ...others }: Readonly<Record<string, unknown>>,
): boolean =>
  Object.keys(typed).every((field) => field === 'email' || plain(typed[field]) === plain(others[field]))

/** Removes a person. If the form was sent twice, the first request has already removed the person. */
export async function removeOwner(deps: RouteDeps, visit: CompanyVisit, id: string, res: Response) {
  const person = personIn(visit.application.content, id)
  if (!person) return res.redirect(303, `${visit.base}/beneficiaries`)
  const patch = patchOwner({ external_id: id, _destroy: true })
  const refused = await collectProblems(() => patchCompany(deps, visit, visit, patch))
  if (refused.length === 0) return res.redirect(303, `${visit.base}/beneficiaries`)
  const problems = explain(visit.frame, refused)
  sendPage(res, statusOf(refused), <RemoveOwner visit={visit} person={person} problems={problems} />)
}
