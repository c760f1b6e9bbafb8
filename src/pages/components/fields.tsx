/** Component: a form field with the control for its type. Also returns texts for fields and values. */
import { STATELESS } from '../../domain/fields/countries.ts'
import { type FieldType, isChoice, isYesOrNo, type Field as Row } from '../../domain/fields/field.ts'
import { MAX_TEXT_LENGTH } from '../../domain/fields/values.ts'
import { MAX_AGE_YEARS } from '../../domain/identification/person-form.ts'
import { isTextName, ownText, type Translate } from '../texts/index.ts'
import { dayText } from '../values/dates.ts'
import { BEGAN, countriesOf, NONE, plain } from '../values/form-values.ts'
import { showNumber, showQuantity } from '../values/numbers.ts'
import { COUNTRIES } from './countries.ts'
import { CountryList } from './country-list.tsx'
import { describeGroup, describeInput, fieldClass, Hint, type Notes, ProblemText } from './field-notes.tsx'
import type { Frame } from './layout.tsx'
import { limitsText } from './limits.ts'
import { proposing } from './proposed.ts'

/** Returns the label of a field, which can be named by its path. */
export const labelOf = (t: Translate, field: string): string => {
  const last = field.split('.').at(-1) ?? field
  const name = `field.${last}`
  return ownText(t, 'field', field) ?? (isTextName(name) ? t(name) : last)
}

/** Returns the label of a choice. Profiles label the choices of each field. */
export const optionOf = (t: Translate, value: string, field = ''): string => {
  const name = `option.${value}`
  const own = t.own?.[`option.${field.split('.').at(-1)}.${value}`] ?? t.own?.[name]
  return own ?? (isTextName(name) ? t(name) : value)
}

/** Returns the name of a person's role, without the explanation in brackets that the form shows. */
export const roleOf = (t: Translate, role: string): string => optionOf(t, role).replace(/ \(.+\)$/, '')

/** Returns an amount in words that leave no doubt, such as "€45,000 a month", or null if there is none. */
export function echoOf(
  { t, language }: Frame,
  field: string,
  currency: string | undefined,
  value: unknown,
): string | null {
  const name = `echo.${field.split('.').at(-1)}`
  if (currency === undefined || !isTextName(name) || typeof value !== 'string' || value === '') return null
  return t(name as 'echo.trx_value_monthly', {
    amount: showQuantity('number_text', value, language, currency),
  })
}

interface FieldProps extends Pick<Notes, 'comment'> {
  readonly frame: Frame
  /** The path of the field in the API, which is also the name of its input. */
  readonly path: string
  readonly name: string
  /** The label, if it differs from that of `name`. */
  readonly label?: string | undefined
  readonly field: Row
  readonly value: unknown
  /** The stored value, if it differs from the displayed value. */
  readonly stored?: unknown
  readonly required: boolean
  readonly problem: Notes['problem']
  /** True if a box above the field shows the comment. */
  readonly isCommentAbove?: boolean
  /** The page on which the applicant can dispute the comment. */
  readonly replyHref?: string | null | undefined
  /** The conditions of choices in the form of `forPage`, keyed by value. */
  readonly offers?: Readonly<Record<string, object>> | undefined
}

const NEVER = JSON.stringify({ any: [] })

/** Returns the choices of a field. A script hides those that the other answers on the page exclude. */
const choicesOf = ({ frame: { t }, name, value, offers = {} }: FieldProps, values: readonly string[]) =>
  values.flatMap((option) => {
    const asked = offers[option] && JSON.stringify(offers[option])
    const isChosen = [value].flat().includes(option)
    if (asked === NEVER && !isChosen) return []
    return { option, label: optionOf(t, option, name), asked: isChosen ? undefined : asked }
  })

/** Links to the page on which the applicant can dispute a comment, if there is one. */
export const ReplyLink = ({ frame, href }: { frame: Frame; href: string | null | undefined }) =>
  href ? (
    <p>
      <a href={href}>{frame.t('reply.link')}</a>
    </p>
  ) : null

type FieldNameProps = Pick<FieldProps, 'frame' | 'path' | 'label' | 'required'>

const fieldName = ({ frame: { t }, path, label }: Omit<FieldNameProps, 'required'>): string =>
  ownText(t, 'field', path) ?? label ?? labelOf(t, path)

const FieldName = (props: FieldNameProps) => (
  <>
    {fieldName(props)}{' '}
    {props.required ? null : <span class="optional">{props.frame.t('page.optional')}</span>}
  </>
)

export const FieldLabel = (props: FieldNameProps) => (
  <label for={props.path}>
    <FieldName {...props} />
  </label>
)

export function Field(props: FieldProps) {
  const { frame, path, name, field, value, problem, comment, replyHref } = props
  const { t } = frame
  const { type } = field
  const group = isYesOrNo(type) || type === 'some_of'
  const known = [`hint.${name}`, `hint.${type}`].find(isTextName)
  const usual = ownText(t, 'help', path) ?? (known && t(known))
  const hint = [usual, limitsText(frame, field)].filter(Boolean).join(' ') || null
  const about = { hint, comment, problem }
  const stored = plain('stored' in props ? props.stored : value)
  const shown = type === 'country_list' ? countriesOf(stored) : showNumber(type, stored, frame.language)
  const notes = (
    <>
      <Hint id={path} hint={hint} />
      {comment && !props.isCommentAbove ? (
        <p class="comment" id={`${path}-comment`}>
          {comment}
        </p>
      ) : null}
      <ProblemText id={path} label={fieldName(props)} problem={problem} />
      <input
        type="hidden"
        name={`${BEGAN}${path}`}
        value={stored}
        {...(shown !== stored && { 'data-shown': shown })}
      />
    </>
  )
  if (group)
    return (
      <fieldset class={fieldClass(about)} id={path} {...describeGroup(path, about)} tabIndex={-1}>
        <legend>
          <FieldName {...props} />
        </legend>
        {notes}
        <Choices {...props} />
        <ReplyLink frame={frame} href={replyHref} />
      </fieldset>
    )
  return (
    <div class={fieldClass(about)}>
      <FieldLabel {...props} />
      {notes}
      <Control {...props} value={value === field.none ? '' : value} about={describeInput(path, about)} />
      {field.currency === undefined ? null : (
        <output class="hint" for={path} data-echo={path}>
          {echoOf(frame, name, field.currency, stored)}
        </output>
      )}
      {field.none === undefined ? null : (
        <label class="choice">
          <input type="checkbox" name={path + NONE} value={field.none} checked={value === field.none} />
          <span>{t(type === 'country' ? 'person.stateless' : 'person.one_name')}</span>
        </label>
      )}
      <ReplyLink frame={frame} href={replyHref} />
    </div>
  )
}

function Choices(props: FieldProps) {
  const { path, field, value } = props
  const { t } = props.frame
  const isRadio = isYesOrNo(field.type)
  const choices =
    field.values !== undefined
      ? choicesOf(props, field.values).map((choice) => ({
          ...choice,
          checked: ((value ?? []) as readonly string[]).includes(choice.option),
        }))
      : [
          { option: 'true', label: t('page.yes'), checked: value === true, asked: undefined },
          { option: 'false', label: t('page.no'), checked: value === false, asked: undefined },
        ]
  return (
    <div class={isRadio ? 'choices-row' : 'choices'}>
      {isRadio ? null : (
        // Browsers do not send checkboxes that are not checked.
        <input type="hidden" name={path} value="" />
      )}
      {choices.map(({ option, label, checked, asked }) => (
        <label key={option} class="choice" data-asked={asked}>
          <input type={isRadio ? 'radio' : 'checkbox'} name={path} value={option} checked={checked} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}

/** Browsers validate only dates, because they send an invalid date as an empty value. */
const INPUTS = {
  date: { type: 'date' },
  phone: { type: 'tel' },
  url: { inputMode: 'url', autocapitalize: 'none', spellcheck: false },
  email: { inputMode: 'email', autocapitalize: 'none', spellcheck: false },
  // Names and numbers are not in a dictionary.
  short_text: { spellcheck: false },
  number_text: { inputMode: 'decimal' },
  percentage_text: { inputMode: 'decimal' },
} as const

/** Lists with more options than this have a search field. */
const LONG_LIST = 7

/** A longer text does not fit one line on a phone. */
const LINE_LENGTH = 32

function Control(props: FieldProps & { about: object }) {
  const { frame, path, field, value, about } = props
  const { type, autocomplete = 'off' } = field
  const text = typeof value === 'string' ? showNumber(type, value, frame.language) : ''
  const isText = type === 'text' || type === 'short_text'
  const shared = {
    id: path,
    name: path,
    autocomplete,
    // The text can be in any script, including scripts that are written from right to left.
    ...(isText && ({ dir: 'auto' } as const)),
    ...about,
  }
  if (type === 'country_list')
    return <CountryList {...shared} frame={frame} chosen={countriesOf(text).split(',')} multiple />
  if (type === 'country')
    return <CountryList {...shared} frame={frame} chosen={[text]} {...proposing(path)} />
  if (field.values !== undefined) {
    const options = choicesOf(props, field.values)
    return (
      <select {...shared} {...(options.length > LONG_LIST && { 'data-picker': '' })} {...proposing(path)}>
        <option value="">{frame.t('page.choose')}</option>
        {options.map(({ option, label, asked }) => (
          <option key={option} value={option} selected={option === text} data-asked={asked}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  // A single-line input would remove the line breaks, and cut a long text.
  if (field.isLong || text.includes('\n') || (isText && text.length > LINE_LENGTH))
    return (
      <textarea
        {...shared}
        {...(type === 'short_text' && INPUTS.short_text)}
        rows={Math.min(4, Math.max(2, Math.ceil(text.length / LINE_LENGTH)))}
      >
        {text}
      </textarea>
    )
  const more = type in INPUTS ? INPUTS[type as keyof typeof INPUTS] : {}
  const narrow = 'inputMode' in more && more.inputMode === 'decimal'
  return (
    <input
      type="text"
      {...shared}
      // Preact has a separate type for each kind of input, but every kind accepts these attributes.
      {...(more as object)}
      {...((narrow || type === 'date' || autocomplete === 'postal-code') && { class: 'narrow' })}
      value={text}
    />
  )
}

/** Returns a value as text to display. An amount has a currency. */
export function textOf(
  { t, language }: Frame,
  type: FieldType | undefined,
  value: unknown,
  currency?: string,
): string {
  if (isYesOrNo(type)) return t(value ? 'page.yes' : 'page.no')
  if (type === 'country' || type === 'country_list')
    return String(value)
      .split(',')
      .map((code) => {
        const known = COUNTRIES[language].find(({ option }) => option === code.trim())
        return known?.label ?? (code === STATELESS ? t('person.stateless') : code)
      })
      .join(', ')
  if (type === 'date') return dayText({ language }, new Date(`${value}T00:00:00Z`))
  if (isChoice(type))
    return [value]
      .flat()
      .map((each) => optionOf(t, String(each)))
      .join(', ')
  return showQuantity(type, String(value), language, currency)
}

/** Returns the message for an invalid field. */
export function problemText(t: Translate, field: string, type: FieldType | undefined): string {
  const label = labelOf(t, field)
  const own = `problem.${field}`
  const name = isTextName(own) ? own : `problem.${type === 'short_text' ? 'text' : type}`
  return isTextName(name)
    ? t(name, { label, max: MAX_TEXT_LENGTH, years: MAX_AGE_YEARS })
    : t('problem.choice', { label })
}
