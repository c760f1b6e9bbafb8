/**
 * Saves the form of an applicant, or single fields that a script sends while the applicant types.
 * A form contains the initial value of each field. A field that the applicant has changed is saved, unless someone else
 * has changed it in the meantime. In that case, the page offers both values. Unchanged fields are not saved, because
 * saving them would mark a requested correction as complete.
 * Without scripts, a form is either saved completely or shown again with its problems. A script receives the saved
 * fields and the problems of the others.
 */
import type { Request, Response } from 'express'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { z } from 'zod'
import { findProblems } from '../../../contracts/check.ts'
import { type Problem, statusOf } from '../../../domain/base/errors.ts'
import { type Facts, factsWith } from '../../../domain/fields/condition.ts'
import type { Field, Fields } from '../../../domain/fields/field.ts'
import { findLimitReason } from '../../../domain/fields/limits.ts'
import { withoutLabel } from '../../components/field-notes.tsx'
import { echoOf, labelOf, problemText, textOf } from '../../components/fields.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { limitsText } from '../../components/limits.ts'
import { isOurForm } from '../../routing/origin.ts'
import { explain } from '../../routing/refusals.ts'
import { asksForJson, sendPage } from '../../routing/response.tsx'
import { compareFields, isEmpty, plain, type Sent } from '../../values/form-values.ts'
import { Ambiguous, showNumber } from '../../values/numbers.ts'
import type { ApplicantVisit } from './visit.ts'

type Values = Readonly<Record<string, unknown>>

export interface SentForm {
  /** The prefix of the input names. The field name follows. */
  readonly prefix: string
  readonly fields: Fields
  readonly stored: Values
  /** Returns the body of the API request with these values. `schema` validates this body. */
  readonly bodyOf: (values: Values) => unknown
  readonly schema: z.ZodType
  /** The facts for the limits of the fields. The changed values replace the stored ones. */
  readonly facts: Facts
  /** Returns further problems with the values. */
  readonly problemsOf?: (values: Values) => FieldProblem[]
  readonly apply: (values: Values) => Promise<readonly Problem[]>
  /** Returns the page that shows the form again, with its problems and the typed values. */
  readonly showAgain: (problems: FieldProblem[], typed: Values) => VNode
  /** Returns the parts of the page that a save changes, such as the progress, keyed by selector. */
  readonly parts?: () => Promise<Readonly<Record<string, VNode>>>
  /** Returns the address of the next page. `written` contains the values that were saved. */
  readonly next: (written: Values) => string
}

export async function save(visit: ApplicantVisit, req: Request, res: Response, form: SentForm) {
  const { frame, csrf } = visit
  const { prefix } = form
  const isScript = asksForJson(req)
  const { values, typed, changed, overtaken } = compareFields(
    { prefix, fields: form.fields, sent: (req.body ?? {}) as Sent, language: frame.language },
    form.stored,
  )
  const conflicts = conflictsIn(frame, overtaken, form)
  const refuse = (status: number, problems: FieldProblem[]) => {
    if (isScript) res.status(status).json({ problems })
    else sendPage(res, status, form.showAgain([...problems, ...conflicts], withPrefix(prefix, typed)))
  }

  if (!isOurForm(req, csrf)) return refuse(403, [{ field: '', message: frame.t('problem.stale') }])
  const invalid = [
    ...problemsOfFields(frame, changed, form),
    ...limitProblems(frame, changed, form),
    ...(form.problemsOf?.(changed) ?? []),
  ]
  if (invalid.length > 0 && !isScript) return refuse(422, invalid)

  const isInvalid = (field: string) => invalid.some((each) => each.field === prefix + field)
  const written = without(changed, isInvalid)
  const reasons = Object.keys(written).length > 0 ? await form.apply(written) : []
  if (reasons.length > 0) return refuse(statusOf(reasons), explain(frame, reasons))

  if (isScript) {
    const saved = without(values, (field) => isInvalid(field) || field in overtaken)
    const texts = Object.fromEntries(Object.entries(saved).map(([field, value]) => [field, plain(value)]))
    res.json({
      saved_at: new Date(),
      saved: withPrefix(prefix, texts),
      echoes: withPrefix(prefix, echoesOf(frame, form.fields, saved)),
      // The field already shows its label. Screen readers read the complete message.
      problems: [...invalid, ...conflicts].map((each) => ({
        ...each,
        text: withoutLabel(labelOf(frame.t, each.field), each.message),
      })),
      parts: rendered((await form.parts?.()) ?? {}),
    })
  } else if (conflicts.length > 0) refuse(409, [])
  else res.redirect(303, form.next(written))
}

const rendered = (parts: Readonly<Record<string, VNode>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parts).map(([selector, part]) => [selector, renderToString(part)]))

const without = (values: Values, isLeftOut: (field: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !isLeftOut(field)))

const withPrefix = (prefix: string, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      prefix + field,
      value instanceof Ambiguous ? value.text : value,
    ]),
  )

/** Returns the saved amounts as the page shows them below their inputs. */
const echoesOf = (frame: Frame, fields: Fields, saved: Values): Values =>
  Object.fromEntries(
    Object.entries(saved).map(([name, value]) => [name, echoOf(frame, name, fields[name]?.currency, value)]),
  )

/** Returns a problem for each field that someone else has changed since the form was loaded. */
const conflictsIn = (frame: Frame, overtaken: Values, { prefix, fields, stored }: SentForm): FieldProblem[] =>
  Object.keys(overtaken).map((field) => {
    const label = labelOf(frame.t, field)
    const { type } = fields[field] as Field
    const theirs = [stored[field] ?? []].flat().map(String).filter(Boolean)
    const shown = theirs.map((each) => showNumber(type, each, frame.language))
    return {
      field: prefix + field,
      message: isEmpty(theirs)
        ? frame.t('problem.emptied', { label })
        : frame.t('problem.overtaken', { label, theirs: textOf(frame, type, stored[field]) }),
      theirs: shown,
      ...(plain(shown) !== plain(theirs) && { stored: plain(theirs) }),
    }
  })

/** Returns a problem for each invalid input. The entries of a list share one input and one problem. */
function problemsOfFields(
  frame: Frame,
  changed: Values,
  { prefix, fields, bodyOf, schema }: SentForm,
): FieldProblem[] {
  const { t } = frame
  const paths = findProblems(schema, bodyOf(changed)).map(({ field = '' }) => field.replace(/\.\d+$/, ''))
  const known = Object.keys(fields)
  const names = new Set(
    paths.map(
      (path) => known.find((name) => `.${path}`.endsWith(`.${name}`)) ?? path.split('.').at(-1) ?? '',
    ),
  )
  return [...names].map((name) => ({
    field: prefix + name,
    message: ambiguityText(frame, name, changed[name]) ?? problemText(t, name, fields[name]?.type),
  }))
}

/** Returns a problem for each value that is outside the limits of its field. */
const limitProblems = (frame: Frame, changed: Values, { prefix, fields, facts }: SentForm): FieldProblem[] =>
  Object.entries(changed).flatMap(([name, value]) => {
    const field = fields[name]
    if (!field || !findLimitReason(field, value, factsWith(facts, changed))) return []
    const limits = limitsText(frame, field) ?? ''
    const message = frame.t('problem.limits', { label: labelOf(frame.t, prefix + name), limits })
    return [{ field: prefix + name, message }]
  })

/** Returns the question about a number that can be read in two ways, or null. */
function ambiguityText({ t, language }: Frame, field: string, value: unknown): string | null {
  if (!(value instanceof Ambiguous)) return null
  const shown = (number: string) => showNumber('number_text', String(Number(number)), language)
  const [decimal, whole] = value.readings
  const label = labelOf(t, field)
  return t('problem.ambiguous', { label, text: value.text, decimal: shown(decimal), whole: shown(whole) })
}
