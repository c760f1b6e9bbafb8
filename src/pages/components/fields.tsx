/** Component: a form field with the control for its type. Also returns texts for fields and values. */
import { type FieldType, isYesOrNo, type Field as Row } from '../../domain/fields/field.ts'
import { MAX_TEXT_LENGTH } from '../../domain/fields/values.ts'
import { flagPath } from '../assets/assets.ts'
import { isTextName, LOCALES, type Translate } from '../texts/index.ts'
import { BEGAN, countriesOf, NONE, plain } from '../values/form-values.ts'
import { showNumber, showQuantity } from '../values/numbers.ts'
import { COUNTRIES } from './countries.ts'
import { CountryList } from './country-list.tsx'
import type { FieldProblem, Frame } from './layout.tsx'
import { sourceOf } from './proposed.ts'

/** Returns the label of a field, which can be named by its path. */
export const labelOf = (t: Translate, field: string): string => {
  const last = field.split('.').at(-1) ?? field
  const name = `field.${last}`
  return t.own?.[name] ?? (isTextName(name) ? t(name) : last)
}

export const optionOf = (t: Translate, value: string): string => {
  const name = `option.${value}`
  return t.own?.[name] ?? (isTextName(name) ? t(name) : value)
}

/** Returns the name of a person's role. Returns only the word "owner" for an owner, because the form explains the role. */
export const roleOf = (t: Translate, role: string): string =>
  role === 'ubo' ? t('owners.role.ubo') : optionOf(t, role)

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

interface FieldProps {
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
  readonly problem: FieldProblem | undefined
  /** The correction that a reviewer has requested. */
  readonly comment?: string | null | undefined
  /** The page on which the applicant can dispute the comment. */
  readonly replyHref?: string | null | undefined
}

/** Links to the page on which the applicant can dispute a comment, if there is one. */
export const ReplyLink = ({ frame, href }: { frame: Frame; href: string | null | undefined }) =>
  href ? (
    <p>
      <a href={href}>{frame.t('reply.link')}</a>
    </p>
  ) : null

type FieldNameProps = Pick<FieldProps, 'frame' | 'name' | 'label' | 'required'>

const FieldName = ({ frame: { t }, name, label, required }: FieldNameProps) => (
  <>
    {label ?? labelOf(t, name)} {required ? null : <span class="optional">{t('page.optional')}</span>}
  </>
)

export const FieldLabel = ({ path, ...props }: FieldNameProps & Pick<FieldProps, 'path'>) => (
  <label for={path}>
    <FieldName {...props} />
  </label>
)

export function Field(props: FieldProps) {
  const { frame, path, name, field, value, problem, comment, replyHref } = props
  const { t } = frame
  const { type } = field
  const group = isYesOrNo(type) || type === 'some_of'
  const hint = t.own?.[`help.${name}`] ?? (isTextName(`hint.${type}`) ? t(`hint.${type}` as never) : null)
  const described = [
    hint && `${path}-hint`,
    comment && `${path}-comment`,
    problem && `${path}-problem`,
  ].filter((id): id is string => Boolean(id))
  const about = described.length > 0 ? { 'aria-describedby': described.join(' ') } : {}
  const stored = plain('stored' in props ? props.stored : value)
  const shown = type === 'country_list' ? countriesOf(stored) : showNumber(type, stored, frame.language)
  const notes = (
    <>
      {hint === null ? null : (
        <p class="hint" id={`${path}-hint`}>
          {hint}
        </p>
      )}
      {comment ? (
        <p class="comment" id={`${path}-comment`}>
          {comment}
        </p>
      ) : null}
      <ReplyLink frame={frame} href={replyHref} />
      {problem ? (
        <p
          class="problem"
          id={`${path}-problem`}
          {...(problem.theirs && { 'data-theirs': JSON.stringify(problem.theirs) })}
        >
          {problem.message}
        </p>
      ) : null}
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
      <fieldset class={problem ? 'field field-invalid' : 'field'} id={path} {...about} tabIndex={-1}>
        <legend>
          <FieldName {...props} />
        </legend>
        {notes}
        <Choices {...props} />
      </fieldset>
    )
  return (
    <div class={problem ? 'field field-invalid' : 'field'}>
      <FieldLabel {...props} />
      {notes}
      <Control
        {...props}
        value={value === field.none ? '' : value}
        about={problem ? { ...about, 'aria-invalid': 'true' } : about}
      />
      {field.currency === undefined ? null : (
        <output class="hint" for={path} data-echo={path}>
          {echoOf(frame, name, field.currency, stored)}
        </output>
      )}
      {field.none === undefined ? null : (
        <label class="choice">
          <input type="checkbox" name={path + NONE} value={field.none} checked={value === field.none} />
          <span>{t('person.one_name')}</span>
        </label>
      )}
    </div>
  )
}

function Choices({ frame: { t }, path, field, value }: FieldProps) {
  const isRadio = isYesOrNo(field.type)
  const choices =
    'values' in field
      ? field.values.map((option) => ({
          option,
          label: optionOf(t, option),
          checked: ((value ?? []) as readonly string[]).includes(option),
        }))
      : [
          { option: 'true', label: t('page.yes'), checked: value === true },
          { option: 'false', label: t('page.no'), checked: value === false },
        ]
  return (
    <div class={isRadio ? 'choices-row' : 'choices'}>
      {isRadio ? null : (
        // Browsers do not send checkboxes that are not checked.
        <input type="hidden" name={path} value="" />
      )}
      {choices.map(({ option, label, checked }) => (
        <label key={option} class="choice">
          <input type={isRadio ? 'radio' : 'checkbox'} name={path} value={option} checked={checked} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}

/**
 * The attributes of the inputs. Browsers validate only dates, because they send an invalid date as an empty value.
 * Gatehouse validates the rest.
 */
const INPUTS = {
  date: { type: 'date' },
  phone: { type: 'tel' },
  url: { inputMode: 'url' },
  email: { inputMode: 'email' },
  number_text: { inputMode: 'decimal' },
  percentage_text: { inputMode: 'decimal' },
} as const

/** Lists with more options than this have a search field. */
const LONG_LIST = 7

function Control({ frame, path, field, value, about }: FieldProps & { about: object }) {
  const { type, autocomplete = 'off' } = field
  const text = typeof value === 'string' ? showNumber(type, value, frame.language) : ''
  const shared = {
    id: path,
    name: path,
    autocomplete,
    // The text can be in any script, including scripts that are written from right to left.
    ...((type === 'text' || type === 'short_text') && ({ dir: 'auto' } as const)),
    ...about,
  }
  if (type === 'country_list')
    return <CountryList {...shared} frame={frame} chosen={countriesOf(text).split(',')} />
  if (type === 'country' || 'values' in field) {
    const options =
      'values' in field
        ? field.values.map((option) => ({ option, label: optionOf(frame.t, option) }))
        : COUNTRIES[frame.language]
    return (
      <select
        {...shared}
        {...(options.length > LONG_LIST && { 'data-picker': '' })}
        {...(type === 'country' && { 'data-flag': flagPath('{country}') })}
        data-propose={sourceOf(path)}
      >
        <option value="">{frame.t('page.choose')}</option>
        {options.map(({ option, label }) => (
          <option key={option} value={option} selected={option === text}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  // A single-line input would remove the line breaks.
  if (field.isLong || text.includes('\n'))
    return (
      <textarea {...shared} rows={4}>
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
      .map((code) => COUNTRIES[language].find(({ option }) => option === code.trim())?.label ?? code)
      .join(', ')
  if (type === 'date') {
    const date = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
    return date.format(new Date(`${value}T00:00:00Z`))
  }
  if (type === 'one_of' || type === 'some_of')
    return [value]
      .flat()
      .map((each) => optionOf(t, String(each)))
      .join(', ')
  return showQuantity(type, String(value), language, currency)
}

/** Returns the message for an invalid field. */
export function problemText(t: Translate, field: string, type: FieldType | undefined): string {
  const label = labelOf(t, field)
  const name = `problem.${type === 'short_text' ? 'text' : type}`
  return isTextName(name) ? t(name, { label, max: MAX_TEXT_LENGTH }) : t('problem.choice', { label })
}
