/** Component: inputs of the settings forms, with their problems and typed values. */
import type { ComponentChildren, JSX } from 'preact'
import { CountryList } from '../../components/country-list.tsx'
import {
  describeGroup,
  describeInput,
  fieldClass,
  Hint,
  type Notes,
  ProblemText,
} from '../../components/field-notes.tsx'
import { Icon } from '../../components/icon.tsx'
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
  /** True if the value cannot be changed. */
  readonly isLocked?: boolean | undefined
  readonly children: ComponentChildren
}

/** Renders an input with its label, its hint and its problem. */
export function FormField({ label, isOptional, isLocked, children, ...about }: FormFieldProps) {
  const { frame, name } = about
  const notes = notesOf(about)
  return (
    <div class={fieldClass(notes)}>
      <label for={name}>
        {label ?? labelOf(frame.t, name)}{' '}
        {isOptional ? <span class="optional">{frame.t('page.optional')}</span> : null}
        {isLocked ? <Icon name="lock" size={14} /> : null}
      </label>
      <Hint id={name} {...notes} />
      {children}
      <ProblemText id={name} label={label ?? labelOf(frame.t, name)} {...notes} />
    </div>
  )
}

const notesOf = ({ again, name, hint }: Pick<About, 'again' | 'name' | 'hint'>): Notes => ({
  hint,
  problem: again.problems.find(({ field }) => field === name),
})

/** Returns the attributes of an input with its name and its texts. */
export const inputOf = (about: Pick<About, 'again' | 'name' | 'hint'>) => ({
  id: about.name,
  name: about.name,
  ...describeInput(about.name, notesOf(about)),
})

interface FileInputProps {
  /** The words of the button. */
  readonly choose: string
  readonly id: string
  readonly name?: string
  readonly accept: string
}

/** Renders an input for a file. A script shows a button instead, with words in the language of the page. */
export const FileInput = ({ choose, ...input }: FileInputProps) => (
  <span class="actions file-input" data-file-input>
    <input type="file" {...input} />
    <template>
      <Icon name="upload" />
      {choose}
    </template>
  </span>
)

interface InputProps extends About {
  readonly value?: string | null
  readonly type?: 'text' | 'email' | 'date' | 'password' | undefined
  readonly inputMode?: 'decimal' | 'numeric' | 'url' | undefined
  /** The HTML `autocomplete` value. Use it only for the reader's own data. */
  readonly autocomplete?: string
  readonly required?: boolean | undefined
  readonly readonly?: boolean
  readonly placeholder?: string
  /** The earliest day, in ISO 8601. */
  readonly min?: string
  /** Whether the label says that the input is optional. By default, if it is not required. */
  readonly isOptional?: boolean
}

export function Input(props: InputProps) {
  const { frame, again, name, label, value, hint, type = 'text', isOptional, ...more } = props
  const about = { frame, again, name, label, hint }
  const isNarrow = type === 'date' || more.inputMode === 'decimal' || more.inputMode === 'numeric'
  return (
    <FormField {...about} isOptional={isOptional ?? !more.required} isLocked={more.readonly}>
      <input
        {...({
          ...inputOf(about),
          value: (again.typed ? textOf(again.typed, name) : value) ?? '',
          autocomplete: 'off',
          ...(isNarrow && { class: 'narrow' }),
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
  readonly placeholder?: string
}

export const TextArea = ({ value, required, rows = 6, placeholder, ...about }: TextAreaProps) => (
  <FormField {...about}>
    <textarea {...inputOf(about)} rows={rows} required={required} placeholder={placeholder}>
      {(about.again.typed ? textOf(about.again.typed, about.name) : value) ?? ''}
    </textarea>
  </FormField>
)

interface CountriesProps extends About {
  readonly chosen: readonly string[]
  readonly groups?: readonly Option[]
}

export const Countries = ({ chosen, groups, ...about }: CountriesProps) => (
  <FormField {...about}>
    <CountryList
      {...inputOf(about)}
      frame={about.frame}
      chosen={about.again.typed ? listOf(about.again.typed, about.name) : chosen}
      groups={groups}
      multiple
    />
  </FormField>
)

interface ChoicesProps extends About {
  readonly options: readonly Option[]
  readonly chosen?: readonly string[]
  /** Shows short options on one line. */
  readonly isRow?: boolean | undefined
}

interface CheckboxesProps extends ChoicesProps {
  /** The ID, if several groups have the same name. Problems are shown at the group whose ID is the name. */
  readonly id?: string
}

/** Renders checkboxes, of which any number can be selected. */
export function Checkboxes({ label, options, chosen = [], isRow, id, ...about }: CheckboxesProps) {
  const { frame, again, name } = about
  const group = id ?? name
  const notes = notesOf({ ...about, name: group })
  const checked = again.typed ? listOf(again.typed, name) : chosen
  return (
    <fieldset id={group} class={fieldClass(notes)} tabIndex={-1} {...describeGroup(group, notes)}>
      <legend>{label ?? labelOf(frame.t, name)}</legend>
      <Hint id={group} {...notes} />
      <div class={isRow ? 'choices choices-line' : 'choices'}>
        {options.map((option) => (
          <Checkbox
            key={option.value}
            name={name}
            option={option}
            isChecked={checked.includes(option.value)}
          />
        ))}
      </div>
      <ProblemText id={group} label={label ?? labelOf(frame.t, name)} {...notes} />
    </fieldset>
  )
}

interface CheckboxProps {
  readonly name: string
  readonly option: Option
  readonly isChecked: boolean
}

/** Renders a checkbox. Screen readers read its second line as a description. */
function Checkbox({ name, option: { value, label, hint }, isChecked }: CheckboxProps) {
  const input = { type: 'checkbox', name, value, checked: isChecked } as const
  if (hint === undefined)
    return (
      <label class="choice">
        <input {...input} />
        <span>{label}</span>
      </label>
    )
  const id = `${name}-${value}`
  return (
    <label class="choice">
      <input {...input} aria-labelledby={id} aria-describedby={`${id}-hint`} />
      <span class="row-text">
        <span id={id}>{label}</span>
        <span id={`${id}-hint`} class="row-note">
          {hint}
        </span>
      </span>
    </label>
  )
}

/** Renders a list from which one option can be selected. The label `none` makes the selection optional. */
export function Select(props: ChoicesProps & { readonly none?: TextName }) {
  const { none, options, chosen = [], ...about } = props
  const { frame, again, name } = about
  const selected = again.typed ? listOf(again.typed, name) : chosen
  return (
    <FormField {...about}>
      <select {...inputOf(about)}>
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
