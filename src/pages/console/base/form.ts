/** Reads the forms of the settings, whose fields are data. */
import { validate as isUuid } from 'uuid'
import { type ErrorCode, type Problem, RequestRefused, statusOf } from '../../../domain/base/errors.ts'
import { AlreadyCreated } from '../../../use-cases/base/effect.ts'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { refusalText } from '../../routing/refusals.ts'
import { isTextName, type Language, type TextName, type Translate } from '../../texts/index.ts'
import { BEGAN, plain, type Sent } from '../../values/form-values.ts'
import { wordOf } from './words.ts'

/** The problems and typed values with which a form is shown again. */
export interface FormState {
  readonly status: number
  readonly problems: readonly FieldProblem[]
  /** The typed values, or null if the form has not been sent. */
  readonly typed: Sent | null
}

export const NEW_FORM: FormState = { status: 200, problems: [], typed: null }

/** The errors that prevent the operator from seeing the form at all. */
const NO_FORM: readonly ErrorCode[] = ['not_found', 'insufficient_role']

/** Returns null, or the form to show again. Rethrows the errors in `NO_FORM` and unexpected errors. */
export async function runForm(
  frame: Frame,
  req: { readonly body?: unknown },
  work: () => Promise<void>,
): Promise<FormState | null> {
  try {
    await work()
    return null
  } catch (error) {
    const typed = (req.body ?? null) as Sent | null
    if (error instanceof AlreadyCreated)
      return {
        status: 409,
        problems: [{ field: '', message: frame.t('settings.problem.made') }],
        typed: { ...typed, id: undefined },
      }
    if (!(error instanceof RequestRefused) || error.problems.some(({ code }) => NO_FORM.includes(code)))
      throw error
    return { status: statusOf(error.problems), problems: toFieldProblems(frame, error.problems), typed }
  }
}

/** The maximum number of places in a file that a message names. */
const MAX_PLACES = 5

/** Returns one problem for each input. The entries of a list share one input, as do the places in a file. */
function toFieldProblems(frame: Frame, problems: readonly Problem[]): FieldProblem[] {
  const { t } = frame
  const places = problems.flatMap(({ field = '' }) => (field.startsWith('file.') ? field.slice(5) : []))
  const byField = new Map(
    problems.map((problem) => {
      const [name = ''] = (problem.field ?? '').split('.')
      // The inputs of a list end with their number, such as `value_0`.
      const text = `settings.problem.${name.replace(/_\d+$/, '')}`
      const fieldText = isTextName(text) ? t(text) : t('console.problem.field', { label: labelOf(t, name) })
      const inFile =
        name === 'file' && places.length > 0
          ? t('settings.problem.places', { places: places.slice(0, MAX_PLACES).join(', ') })
          : null
      return [name, refusalText(frame, problem, 'administrator') ?? inFile ?? fieldText]
    }),
  )
  return [...byField].map(([field, message]) => ({ field, message }))
}

/** Returns the label of an input. The name of a text in one language ends with the language, such as `label_de`. */
export const labelOf = (t: Translate, name: string): string => {
  const text = `settings.${name}`
  if (isTextName(text)) return t(text)
  const [, kind, language] = /^(\w+)_([a-z]{2})$/.exec(name) ?? []
  const inLanguage = `settings.${kind}_in`
  return language && isTextName(inLanguage) ? t(inLanguage, { language: languageName(t, language) }) : name
}

export const languageName = (t: Translate, language: string): string =>
  wordOf({ t }, 'settings.language', language)

export interface Option {
  readonly value: string
  readonly label: string
  /** A second line about the option. */
  readonly hint?: string
}

export const toOptions = <V extends string>(values: readonly V[], labelOf: (value: V) => string): Option[] =>
  values.map((value) => ({ value, label: labelOf(value) }))

export const languageOptions = (t: Translate, languages: readonly Language[]): Option[] =>
  toOptions(languages, (language) => languageName(t, language))

export const optionsOf = (t: Translate, names: readonly string[]): Option[] =>
  toOptions(names, (name) => labelOf(t, name))

/** A field of a form about an object. Its name is also the name of its label. */
export interface Field<O> {
  readonly name: string
  readonly hint?: TextName
  readonly isRequired?: boolean
  /** The type of a text. A long text has several lines. */
  readonly type?: 'text' | 'email' | 'date' | 'password' | 'long'
  readonly inputMode?: 'decimal' | 'numeric' | 'url'
  /** Makes the field a choice of one or several options, or of countries. */
  readonly choose?: 'one' | 'some' | 'countries'
  readonly options?: (t: Translate, object: O) => readonly Option[]
  /** Shows short options on one line. */
  readonly isRow?: boolean
  /** Returns the stored value, or the first value of a new object. */
  readonly value: (object: O) => string | number | readonly string[] | null
  /** Converts the entered text to a value of the API. Returns other texts unchanged, so that the schema refuses them. */
  readonly read?: (text: string) => unknown
}

export const storedValues = <O>(fields: readonly Field<O>[], object: O): Record<string, unknown> =>
  Object.fromEntries(fields.map(({ name, value }) => [name, value(object)]))

/** Returns the entered values for the API. Unchanged ones are undefined. `stored` has the current ones. */
export const enteredValues = <O>(
  sent: Sent,
  fields: readonly Field<O>[],
  stored: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field.name, enteredValue(sent, field, stored[field.name])]))

function enteredValue<O>(sent: Sent, { name, choose, read, isRequired }: Field<O>, stored: unknown) {
  if (choose === 'some' || choose === 'countries')
    return chosenOf(sent, name, (stored ?? []) as readonly string[])
  if (!isChanged(sent, name)) return undefined
  const text = textOf(sent, name)
  return read ? read(text ?? '') : (text ?? (isRequired ? '' : null))
}

/** Returns the trimmed text, or null if it is empty. */
export const textOf = (sent: Sent, name: string): string | null =>
  [sent[name] ?? []].flat()[0]?.trim() || null

/** Returns the ID from the form, or null. A form that is sent twice with an ID creates one object. */
export const idIn = (sent: Sent | undefined): string | null =>
  typeof sent?.id === 'string' && isUuid(sent.id) ? sent.id.toLowerCase() : null

export const listOf = (sent: Sent, name: string): string[] => [sent[name] ?? []].flat().filter(Boolean)

/** Returns true if the value differs from the initial one. A value in a form for a new object always differs. */
function isChanged(sent: Sent, name: string): boolean {
  const began = sent[BEGAN + name]
  if (began === undefined) return sent[name] !== undefined
  return plain(sent[name]) !== plain(began)
}

/** Applies the form's changes to `now`, the current list. Returns undefined if the form changed nothing. */
export function chosenOf(sent: Sent, name: string, now: readonly string[]): string[] | undefined {
  if (!isChanged(sent, name)) return undefined
  const chosen = listOf(sent, name)
  if (sent[BEGAN + name] === undefined) return chosen
  const began = new Set(textOf(sent, BEGAN + name)?.split(','))
  const isKept = (each: string) => chosen.includes(each) || !began.has(each)
  const added = chosen.filter((each) => !began.has(each) && !now.includes(each))
  return [...now.filter(isKept), ...added]
}
