/** What a form sent becomes a command, or the same form again with what is wrong at its fields. */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import type { z } from 'zod'
import { problemsIn } from '../../contracts/check.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { runCommand } from '../../use-cases/cases/command.ts'
import { newEffect } from '../../use-cases/effect.ts'
import { isUnavailable } from '../../use-cases/unavailable.ts'
import { asksForJson, sendPage } from '../answer.tsx'
import { labelOf, problemText, textOf } from '../components/fields.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { compareFields, type Fields, isAmbiguous, isEmpty, plain, type Sent } from '../form-values.ts'
import type { TextName } from '../texts/en.ts'
import { isOurForm, type Visit } from '../visit.ts'

/** The reasons against a command; none when it is applied. */
export const run = <E extends Entity>(
  deps: RouteDeps,
  { actor }: Pick<Visit, 'actor'>,
  target: EntityRef<E>,
  command: Commands[E],
): Promise<readonly Problem[]> =>
  reasonsAgainst(() => runCommand(deps, { actor, effect: newEffect() }, target, command))

/** The same of whatever a form asks for. */
export async function reasonsAgainst(work: () => Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (error instanceof RequestRefused) return error.problems
    if (isUnavailable(error)) return [{ code: 'service_unavailable' }]
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
  invalid_transition: 'problem.sent',
  requirements_due: 'problem.due',
  too_many: 'problem.tooMany',
}

/** What is not about one field, in words for whoever fills the form in. */
export function told({ t }: Frame, problems: readonly Problem[]): FieldProblem[] {
  const texts = new Set(problems.map(({ code }) => t(REFUSALS[code] ?? 'problem.refused')))
  return [...texts].map((message) => ({ field: '', message }))
}

type Values = Readonly<Record<string, unknown>>

/** A form that was sent. */
export interface SentForm {
  /** Before the names of its fields in the names of its inputs. */
  readonly prefix: string
  readonly fields: Fields
  /** What the fields are now. */
  readonly shown: Values
  /** What the API would be sent of the values, and the schema by which it would judge that. */
  readonly bodyOf: (values: Values) => unknown
  readonly schema: z.ZodType
  /** What is wrong with the values besides. */
  readonly problemsOf?: (values: Values) => FieldProblem[]
  readonly apply: (values: Values) => Promise<readonly Problem[]>
  /** The same form once more. */
  readonly again: (problems: FieldProblem[], typed: Values) => VNode
  readonly next: string
}

export async function save(visit: Visit, req: Request, res: Response, form: SentForm): Promise<void> {
  const { prefix, fields, shown, again, next } = form
  const { frame, csrf } = visit
  const compared = compareFields(prefix, fields, (req.body ?? {}) as Sent, shown)
  const overtaken = overtakenIn(frame, compared.overtaken, form)
  const typed = Object.fromEntries(
    Object.entries(compared.typed).map(([field, value]) => [prefix + field, value]),
  )
  const forScript = asksForJson(req)
  const refuse = (status: number, problems: FieldProblem[]) => {
    if (forScript) res.status(status).json({ problems })
    else sendPage(res, status, again([...problems, ...overtaken], typed))
  }
  if (!isOurForm(req, csrf)) return refuse(403, [{ field: '', message: frame.t('problem.stale') }])
  // What was not touched would be written in another form, and settle what a reviewer wants mended.
  let { changed } = compared
  const wrong = [...fieldProblems(frame, changed, form), ...(form.problemsOf?.(changed) ?? [])]
  if (wrong.length > 0 && !forScript) return refuse(422, wrong)
  const isWrong = (field: string) => wrong.some((each) => each.field === prefix + field)
  if (forScript) changed = without(changed, isWrong)
  const refused = Object.keys(changed).length > 0 ? await form.apply(changed) : []
  if (refused.length > 0) return refuse(statusOf(refused), told(frame, refused))
  if (!forScript) return overtaken.length > 0 ? refuse(409, []) : res.redirect(303, next)
  const saved = without(compared.values, (field) => isWrong(field) || field in compared.overtaken)
  res.json({
    saved_at: new Date(),
    saved: Object.fromEntries(Object.entries(saved).map(([field, value]) => [prefix + field, plain(value)])),
    problems: [...wrong, ...overtaken],
  })
}

const without = (values: Values, isLeftOut: (field: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !isLeftOut(field)))

/** Nobody overwrites what they have not seen. */
const overtakenIn = (frame: Frame, overtaken: Values, { prefix, fields, shown }: SentForm): FieldProblem[] =>
  Object.keys(overtaken).map((field) => {
    const label = labelOf(frame.t, field)
    const theirs = shown[field]
    return {
      field: prefix + field,
      message: isEmpty(theirs)
        ? frame.t('problem.emptied', { label })
        : frame.t('problem.overtaken', { label, theirs: textOf(frame, fields[field], theirs) }),
      theirs: isEmpty(theirs) ? [] : [theirs].flat().map(String),
    }
  })

/** One for each input: an entry of a list is about the list's. */
function fieldProblems(
  { t }: Frame,
  changed: Values,
  { prefix, fields, bodyOf, schema }: SentForm,
): FieldProblem[] {
  const paths = problemsIn(schema, bodyOf(changed)).map(({ field = '' }) => field.replace(/\.\d+$/, ''))
  const ambiguous = Object.keys(changed).filter((field) => isAmbiguous(fields[field], changed[field]))
  const names = new Set([...paths.map((path) => path.split('.').at(-1) ?? ''), ...ambiguous])
  return [...names].map((name) => ({ field: prefix + name, message: problemText(t, name, fields[name]) }))
}
