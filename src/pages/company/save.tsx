/** What a form sent becomes a command, or the same form again with what is wrong at its fields. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { v7 as newId } from 'uuid'
import { problemsOf } from '../../contracts/common.ts'
import { patchKybBody } from '../../contracts/kyb-application.ts'
import { databaseAway } from '../../db/database.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import type { KybPatch } from '../../domain/kyb-content.ts'
import type { Beneficiary } from '../../domain/kyb-fields.ts'
import { beneficiaryPath } from '../../domain/kyb-requirements.ts'
import type { KybCommand } from '../../domain/kyb-transition.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { runCommand } from '../../use-cases/command.ts'
import { sendPage } from '../answer.tsx'
import { changedFields, type Fields, isAmbiguous, problemText, readFields, type Sent } from '../fields.tsx'
import type { FieldProblem, Frame } from '../layout.tsx'
import type { TextName } from '../texts/en.ts'
import { isOurForm, type Visit } from '../visit.ts'
import { OwnerForm, RemoveOwner } from './owners.tsx'
import { SectionForm } from './section-form.tsx'
import { ownersOf, PERSON_FIELDS, type SectionPage, typedFields } from './sections.ts'

/** The reasons against a command; none when it is applied. */
export async function run(
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

export const statusOf = (problems: readonly Problem[]): number =>
  problems.some(({ code }) => code === 'service_unavailable') ? 503 : 422

/** Refusals that are not about what was entered. */
export const REFUSALS: Partial<Record<string, TextName>> = {
  service_unavailable: 'problem.away',
  kyb_processed: 'problem.locked',
  kyb_abandoned: 'problem.ended',
  too_many: 'problem.tooMany',
}

/** What is not about one field, in words for whoever fills the form in. */
export function told({ t }: Frame, problems: readonly Problem[]): FieldProblem[] {
  const texts = new Set(problems.map(({ code }) => t(REFUSALS[code] ?? 'problem.refused')))
  return [...texts].map((message) => ({ field: '', message }))
}

/** A form that was sent. */
interface SentForm {
  /** Before the names of its fields in the names of its inputs. */
  readonly prefix: string
  readonly fields: Fields
  /** What the fields are now. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly patchOf: (values: Record<string, unknown>) => KybPatch
  /** What is wrong with the values besides their kinds. */
  readonly problemsOf?: (values: Record<string, unknown>) => FieldProblem[]
  /** The same form once more. */
  readonly again: (problems: FieldProblem[], typed: Record<string, unknown>) => VNode
  readonly next: string
}

async function save(deps: RouteDeps, visit: Visit, req: Request, res: Response, form: SentForm) {
  const { prefix, fields, shown, patchOf, again, next } = form
  const { frame, csrf } = visit
  const values = readFields(prefix, fields, (req.body ?? {}) as Sent)
  const typed = Object.fromEntries(Object.entries(values).map(([field, value]) => [prefix + field, value]))
  const refuse = (status: number, problems: FieldProblem[]) => sendPage(res, status, again(problems, typed))
  if (!isOurForm(req, csrf)) return refuse(403, [{ field: '', message: frame.t('problem.stale') }])
  // What was not touched would be written in another form, and settle what a reviewer wants mended.
  const changed = changedFields(values, shown)
  const patch = patchOf(changed)
  const wrong = [...problemsIn(frame, changed, patch, form), ...(form.problemsOf?.(changed) ?? [])]
  if (wrong.length > 0) return refuse(422, wrong)
  if (Object.keys(changed).length === 0) return res.redirect(303, next)
  const refused = await run(deps, visit, { kind: 'patch', patch })
  if (refused.length > 0) return refuse(statusOf(refused), told(frame, refused))
  res.redirect(303, next)
}

/** One for each input: an entry of a list is about the list's. */
function problemsIn(
  { t }: Frame,
  changed: Record<string, unknown>,
  patch: KybPatch,
  { prefix, fields }: SentForm,
): FieldProblem[] {
  const { error } = patchKybBody.safeParse(patch, { reportInput: true })
  const paths = error ? problemsOf(error).map(({ field = '' }) => field.replace(/\.\d+$/, '')) : []
  const ambiguous = Object.keys(changed).filter((field) => isAmbiguous(fields[field], changed[field]))
  const names = new Set([...paths.map((path) => path.split('.').at(-1) ?? ''), ...ambiguous])
  return [...names].map((name) => ({ field: prefix + name, message: problemText(t, name, fields[name]) }))
}

export async function saveSection(
  deps: RouteDeps,
  visit: Visit,
  page: SectionPage,
  req: Request,
  res: Response,
): Promise<void> {
  await save(deps, visit, req, res, {
    prefix: `${page}.`,
    fields: typedFields(page),
    shown: { ...visit.application.content[page] },
    patchOf: (values) => ({ [page]: values }) as KybPatch,
    again: (problems, typed) => <SectionForm visit={visit} page={page} problems={problems} typed={typed} />,
    next: visit.base,
  })
}

const patchOwner = (person: Record<string, unknown>) =>
  ({ beneficiaries: { beneficiaries_list: [person] } }) as KybPatch

/** `person` is null for somebody new. */
export async function saveOwner(
  deps: RouteDeps,
  visit: Visit,
  person: Beneficiary | null,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame, base, application } = visit
  const { email: _, ...others } = PERSON_FIELDS
  const prefix = beneficiaryPath(person?.external_id ?? 'new', '')
  const isKnown = (email: unknown) =>
    ownersOf(application).some((other) => other.email === String(email).toLowerCase())
  await save(deps, visit, req, res, {
    prefix,
    fields: person ? others : PERSON_FIELDS,
    shown: { ...person },
    patchOf: (values) => patchOwner({ ...values, email: person?.email ?? values.email ?? '' }),
    problemsOf: ({ email }) =>
      person === null && email !== undefined && isKnown(email)
        ? [{ field: `${prefix}email`, message: frame.t('owners.taken') }]
        : [],
    again: (problems, typed) => <OwnerForm visit={visit} person={person} problems={problems} typed={typed} />,
    next: `${base}/beneficiaries`,
  })
}

export async function removeOwner(
  deps: RouteDeps,
  visit: Visit,
  person: Beneficiary,
  res: Response,
): Promise<void> {
  const patch = patchOwner({ email: person.email, _destroy: true })
  const refused = await run(deps, visit, { kind: 'patch', patch })
  if (refused.length === 0) return res.redirect(303, `${visit.base}/beneficiaries`)
  const problems = told(visit.frame, refused)
  sendPage(res, statusOf(refused), <RemoveOwner visit={visit} person={person} problems={problems} />)
}
