/** Component: inputs of the settings forms, with their problems and typed values. */
import type { ComponentChildren } from 'preact'
import { v7 as newId } from 'uuid'
import { type ErrorCode, type Problem, RequestRefused, statusOf } from '../../../domain/base/errors.ts'
import { AlreadyCreated } from '../../../use-cases/base/effect.ts'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { isTextName, type Translate } from '../../texts/index.ts'
import { BEGAN, plain, type Sent } from '../../values/form-values.ts'
import { idIn } from '../case-form.ts'

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

/**
 * Runs the work. Returns null if it succeeds, or the form to show again. Rethrows the errors in `NO_FORM` and
 * unexpected errors.
 */
export async function runForm(
  { t }: Frame,
  typed: Sent,
  work: () => Promise<void>,
): Promise<FormState | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof AlreadyCreated)
      return {
        status: 409,
        problems: [{ field: '', message: t('settings.problem.made') }],
        typed: { ...typed, id: undefined },
      }
    if (!(error instanceof RequestRefused) || error.problems.some(({ code }) => NO_FORM.includes(code)))
      throw error
    return { status: statusOf(error.problems), problems: toFieldProblems(t, error.problems), typed }
  }
}

/** Renders the ID of the object that the form creates, so that a form that is sent twice creates one object. */
export const Name = ({ again: { typed } }: Pick<About, 'again'>) => (
  <input type="hidden" name="id" value={idIn(typed ?? undefined) ?? newId()} />
)

/** Returns one problem for each input. The entries of a list share one input. */
function toFieldProblems(t: Translate, problems: readonly Problem[]): FieldProblem[] {
  const byField = new Map(
    problems.map(({ code, field = '' }) => {
      const [name = ''] = field.split('.')
      const text = [code, name].map((each) => `settings.problem.${each}`).find(isTextName)
      const label = labelOf(t, name)
      return [name, text ? t(text) : t('console.problem.field', { label })]
    }),
  )
  return [...byField].map(([field, message]) => ({ field, message }))
}

export const labelOf = (t: Translate, name: string): string => {
  const text = `settings.${name}`
  return isTextName(text) ? t(text) : name
}

/** Returns the trimmed text, or null if it is empty. */
export const textOf = (sent: Sent, name: string): string | null =>
  [sent[name] ?? []].flat()[0]?.trim() || null

export const listOf = (sent: Sent, name: string): string[] => [sent[name] ?? []].flat().filter(Boolean)

interface InitialValuesProps {
  readonly again: FormState
  /** The stored values, keyed by input name. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Renders the initial values of a form for an existing object, so that only changed fields are saved. */
export const InitialValues = ({ again, values }: InitialValuesProps) => (
  <>
    {Object.entries(values).map(([name, value]) => (
      <input
        key={name}
        type="hidden"
        name={BEGAN + name}
        value={again.typed?.[BEGAN + name]?.toString() ?? plain(value)}
      />
    ))}
  </>
)

/** Returns true if the value differs from the initial one. A value in a form for a new object always differs. */
export function isChanged(sent: Sent, name: string): boolean {
  const began = sent[BEGAN + name]
  if (began === undefined) return sent[name] !== undefined
  return plain(sent[name]) !== plain(began)
}

/** Applies the form's changes to `now`, the current list. Returns undefined if the form changed nothing. */
export function chosenOf(sent: Sent, name: string, now: readonly string[]): string[] | undefined {
  if (!isChanged(sent, name)) return undefined
  const chosen = listOf(sent, name)
  if (sent[BEGAN + name] === undefined) return chosen
  const began = textOf(sent, BEGAN + name)?.split(',') ?? []
  const isKept = (each: string) => chosen.includes(each) || !began.includes(each)
  const added = chosen.filter((each) => !began.includes(each) && !now.includes(each))
  return [...now.filter(isKept), ...added]
}

interface About {
  readonly frame: Frame
  readonly again: FormState
  readonly name: string
}

interface InputProps extends About {
  readonly value?: string | null
  readonly type?: 'text' | 'email' | 'date' | 'password'
  readonly hint?: string
  readonly inputMode?: 'decimal' | 'numeric' | 'url'
  /** The HTML `autocomplete` value. Use it only for the reader's own data. */
  readonly autocomplete?: string
  readonly required?: boolean
  /** Notes below the input. */
  readonly children?: ComponentChildren
}

interface FormFieldProps extends About {
  readonly hint?: string | undefined
  readonly isOptional?: boolean
  readonly children: ComponentChildren
}

/** Renders an input with its label, its hint and its problem. */
export const FormField = ({ frame: { t }, again, name, hint, isOptional, children }: FormFieldProps) => (
  <div class={classOf(again, name)}>
    <label for={name}>
      {labelOf(t, name)} {isOptional ? <span class="optional">{t('page.optional')}</span> : null}
    </label>
    <Hint name={name} hint={hint} />
    {children}
    <ProblemText again={again} name={name} />
  </div>
)

const classOf = (again: FormState, name: string) => (problemOf(again, name) ? 'field field-invalid' : 'field')

export function Input({ frame, again, name, value, hint, type = 'text', children, ...more }: InputProps) {
  const isNarrow = type === 'date' || more.inputMode === 'decimal' || more.inputMode === 'numeric'
  return (
    <FormField frame={frame} again={again} name={name} hint={hint} isOptional={!more.required}>
      <input
        id={name}
        name={name}
        value={(again.typed ? textOf(again.typed, name) : value) ?? ''}
        autocomplete="off"
        {...(isNarrow && { class: 'narrow' })}
        {...describeInput(again, name, hint)}
        {...more}
        // Preact has a type for each kind of input. All of these types accept the attributes.
        {...({ type } as object)}
      />
      {children}
    </FormField>
  )
}

interface TextAreaProps extends About {
  readonly value: string | null
  readonly hint: string
}

export const TextArea = ({ value, ...about }: TextAreaProps) => (
  <FormField {...about}>
    <textarea
      id={about.name}
      name={about.name}
      rows={6}
      required
      {...describeInput(about.again, about.name, about.hint)}
    >
      {(about.again.typed ? textOf(about.again.typed, about.name) : value) ?? ''}
    </textarea>
  </FormField>
)

interface ChoicesProps extends About {
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly chosen?: readonly string[]
  readonly hint?: string
  /** Shows short options on one line. */
  readonly isRow?: boolean
}

/** Renders checkboxes, of which any number can be selected. */
export function Checkboxes({ frame: { t }, again, name, options, chosen = [], hint, isRow }: ChoicesProps) {
  const checked = again.typed ? listOf(again.typed, name) : chosen
  return (
    <fieldset id={name} class={classOf(again, name)} tabIndex={-1} {...described(again, name, hint)}>
      <legend>{labelOf(t, name)}</legend>
      <Hint name={name} hint={hint} />
      <div class={isRow ? 'choices choices-line' : 'choices'}>
        {options.map(({ value, label }) => (
          <label key={value} class="choice">
            <input type="checkbox" name={name} value={value} checked={checked.includes(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <ProblemText again={again} name={name} />
    </fieldset>
  )
}

/** Renders a list from which one option can be selected. The label `none` makes the selection optional. */
export function Select({ none, options, chosen = [], ...about }: ChoicesProps & { readonly none?: string }) {
  const { again, name, hint } = about
  const selected = again.typed ? listOf(again.typed, name) : chosen
  return (
    <FormField {...about}>
      <select id={name} name={name} {...describeInput(again, name, hint)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(({ value, label }) => (
          <option key={value} value={value} selected={selected.includes(value)}>
            {label}
          </option>
        ))}
      </select>
    </FormField>
  )
}

const problemOf = ({ problems }: FormState, name: string) => problems.find(({ field }) => field === name)

export const Hint = ({ name, hint }: { name: string; hint: string | undefined }) =>
  hint === undefined ? null : (
    <p class="hint" id={`${name}-hint`}>
      {hint}
    </p>
  )

function ProblemText({ again, name }: Pick<About, 'again' | 'name'>) {
  const problem = problemOf(again, name)
  return problem ? (
    <p class="problem" id={`${name}-problem`}>
      {problem.message}
    </p>
  ) : null
}

function described(again: FormState, name: string, hint?: string) {
  const ids = [hint !== undefined && `${name}-hint`, problemOf(again, name) && `${name}-problem`]
  const said = ids.filter(Boolean).join(' ')
  return said === '' ? {} : { 'aria-describedby': said }
}

/** Returns the attributes that link an input to its hint and its problem. */
export const describeInput = (again: FormState, name: string, hint?: string) => ({
  ...described(again, name, hint),
  ...(problemOf(again, name) && { 'aria-invalid': 'true' as const }),
})
