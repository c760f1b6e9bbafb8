/** Component: inputs of the settings forms, with their problems and typed values. */
import type { ComponentChildren, JSX } from 'preact'
import { CountryList } from '../../components/country-list.tsx'
import type { Frame } from '../../components/layout.tsx'
import type { TextName } from '../../texts/index.ts'
import { type Field, type FormState, labelOf, listOf, type Option, textOf } from './form.ts'

interface About {
  readonly frame: Frame
  readonly again: FormState
  readonly name: string
  /** The label, if the text with the name is not the label. */
  readonly label?: string | undefined
  readonly hint?: string | undefined
}

interface InputsProps<O> {
  readonly ask: Pick<About, 'frame' | 'again'>
  readonly fields: readonly Field<O>[]
  readonly object: O
}

/** Renders the fields with the stored values of the object, or with the typed values. */
export const Inputs = <O,>({ ask: { frame, again }, fields, object }: InputsProps<O>) => (
  <>
    {fields.map((field) => {
      const { name, hint, choose, options, isRow, isRequired, type, inputMode } = field
      const about = { frame, again, name, hint: hint && frame.t(hint) }
      const value = field.value(object)
      if (options) {
        const choices = { options: options(frame.t, object), chosen: [value ?? []].flat().map(String) }
        return choose === 'one' ? (
          <Select key={name} {...about} {...choices} />
        ) : (
          <Checkboxes key={name} {...about} {...choices} isRow={isRow} />
        )
      }
      if (choose === 'countries')
        return <Countries key={name} {...about} chosen={[value ?? []].flat().map(String)} />
      const text = { value: value === null ? null : String(value), required: isRequired }
      return type === 'long' ? (
        <TextArea key={name} {...about} {...text} />
      ) : (
        <Input key={name} {...about} {...text} type={type} inputMode={inputMode} />
      )
    })}
  </>
)

interface FormFieldProps extends About {
  readonly isOptional?: boolean
  readonly children: ComponentChildren
}

/** Renders an input with its label, its hint and its problem. */
export const FormField = ({
  frame: { t },
  again,
  name,
  label,
  hint,
  isOptional,
  children,
}: FormFieldProps) => (
  <div class={classOf(again, name)}>
    <label for={name}>
      {label ?? labelOf(t, name)} {isOptional ? <span class="optional">{t('page.optional')}</span> : null}
    </label>
    <Hint name={name} hint={hint} />
    {children}
    <ProblemText again={again} name={name} />
  </div>
)

const classOf = (again: FormState, name: string) => (problemOf(again, name) ? 'field field-invalid' : 'field')

interface InputProps extends About {
  readonly value?: string | null
  readonly type?: 'text' | 'email' | 'date' | 'password' | undefined
  readonly inputMode?: 'decimal' | 'numeric' | 'url' | undefined
  /** The HTML `autocomplete` value. Use it only for the reader's own data. */
  readonly autocomplete?: string
  readonly required?: boolean | undefined
  readonly readonly?: boolean
  /** Whether the label says that the input is optional. By default, if it is not required. */
  readonly isOptional?: boolean
}

export function Input({
  frame,
  again,
  name,
  label,
  value,
  hint,
  type = 'text',
  isOptional,
  ...more
}: InputProps) {
  const isNarrow = type === 'date' || more.inputMode === 'decimal' || more.inputMode === 'numeric'
  return (
    <FormField
      frame={frame}
      again={again}
      name={name}
      label={label}
      hint={hint}
      isOptional={isOptional ?? !more.required}
    >
      <input
        {...({
          id: name,
          name,
          value: (again.typed ? textOf(again.typed, name) : value) ?? '',
          autocomplete: 'off',
          ...(isNarrow && { class: 'narrow' }),
          ...describeInput(again, name, hint),
          ...more,
          type,
          // Preact has a type for each kind of input. All of these types accept the attributes.
        } as JSX.IntrinsicElements['input'])}
      />
    </FormField>
  )
}

interface TextAreaProps extends About {
  readonly value: string | null
  readonly required?: boolean | undefined
  readonly rows?: number
  readonly isOptional?: boolean
}

export const TextArea = ({ value, required, rows = 6, ...about }: TextAreaProps) => (
  <FormField {...about}>
    <textarea
      id={about.name}
      name={about.name}
      rows={rows}
      required={required}
      {...describeInput(about.again, about.name, about.hint)}
    >
      {(about.again.typed ? textOf(about.again.typed, about.name) : value) ?? ''}
    </textarea>
  </FormField>
)

const Countries = ({ chosen, ...about }: About & { readonly chosen: readonly string[] }) => (
  <FormField {...about}>
    <CountryList
      frame={about.frame}
      id={about.name}
      name={about.name}
      chosen={about.again.typed ? listOf(about.again.typed, about.name) : chosen}
      multiple
      {...describeInput(about.again, about.name, about.hint)}
    />
  </FormField>
)

interface ChoicesProps extends About {
  readonly options: readonly Option[]
  readonly chosen?: readonly string[]
  /** Shows short options on one line. */
  readonly isRow?: boolean | undefined
}

/** Renders checkboxes, of which any number can be selected. */
export function Checkboxes({ frame, again, name, label, options, chosen = [], hint, isRow }: ChoicesProps) {
  const checked = again.typed ? listOf(again.typed, name) : chosen
  return (
    <fieldset id={name} class={classOf(again, name)} tabIndex={-1} {...described(again, name, hint)}>
      <legend>{label ?? labelOf(frame.t, name)}</legend>
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
export function Select({
  none,
  options,
  chosen = [],
  ...about
}: ChoicesProps & { readonly none?: TextName }) {
  const { frame, again, name, hint } = about
  const selected = again.typed ? listOf(again.typed, name) : chosen
  return (
    <FormField {...about}>
      <select id={name} name={name} {...describeInput(again, name, hint)}>
        {none === undefined ? null : <option value="">{frame.t(none)}</option>}
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

export const Hint = ({ name, hint }: Pick<About, 'name' | 'hint'>) =>
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
