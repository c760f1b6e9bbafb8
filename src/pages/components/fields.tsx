/** Fields of an application on pages: which control each kind has, and what they say in words. */
import { type FieldKind, isYesOrNo } from '../../domain/kyb/fields.ts'
import { BEGAN, isGroup, plain } from '../form-values.ts'
import { isTextName, LOCALES, type Translate } from '../texts/index.ts'
import { COUNTRIES } from './countries.ts'
import type { FieldProblem, Frame } from './layout.tsx'

export const labelOf = (t: Translate, field: string): string => {
  const name = `field.${field}`
  return isTextName(name) ? t(name) : field
}

export const optionOf = (t: Translate, value: string): string => {
  const name = `option.${value}`
  return isTextName(name) ? t(name) : value
}

const LONG = new Set([
  'description_activity',
  'products_offered',
  'usage',
  'nesting_justification',
  'flow_of_funds_description',
  'risky_activities',
])

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  legal_company_name: 'organization',
  phone: 'tel',
  email: 'email',
  website: 'url',
  legal_address: 'street-address',
  postal_code_address: 'postal-code',
  city_address: 'address-level2',
  state_address: 'address-level1',
  name: 'given-name',
  surname: 'family-name',
  birthdate: 'bday',
  address: 'address-line1',
  postal_code: 'postal-code',
  city: 'address-level2',
  address_country: 'country',
}

/** Not that of whoever fills the form in. */
const isOfPerson = (path: string): boolean => path.startsWith('beneficiaries.beneficiaries_list.')

interface FieldProps {
  readonly frame: Frame
  /** The field's path in the API, the name of its input. */
  readonly path: string
  readonly field: string
  readonly kind: FieldKind
  readonly value: unknown
  /** What is stored, where that is not what is shown. */
  readonly stored?: unknown
  readonly required: boolean
  readonly problem: FieldProblem | undefined
  /** What a reviewer wants mended. */
  readonly comment?: string | null | undefined
}

export function Field(props: FieldProps) {
  const { frame, path, field, kind, value, problem, comment } = props
  const { t } = frame
  const group = isYesOrNo(kind) || isGroup(kind)
  const hint = typeof kind === 'string' && isTextName(`hint.${kind}`) ? t(`hint.${kind}` as never) : null
  const described = [
    hint && `${path}-hint`,
    comment && `${path}-comment`,
    problem && `${path}-problem`,
  ].filter((id): id is string => Boolean(id))
  const about = described.length > 0 ? { 'aria-describedby': described.join(' ') } : {}
  const label = (
    <>
      {labelOf(t, field)} {props.required ? null : <span class="quiet">{t('page.optional')}</span>}
    </>
  )
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
      {problem ? (
        <p
          class="problem"
          id={`${path}-problem`}
          {...(problem.theirs && { 'data-theirs': JSON.stringify(problem.theirs) })}
        >
          {problem.message}
        </p>
      ) : null}
      <input type="hidden" name={`${BEGAN}${path}`} value={plain('stored' in props ? props.stored : value)} />
    </>
  )
  if (group)
    return (
      <fieldset class={problem ? 'field wrong' : 'field'} id={path} {...about} tabIndex={-1}>
        <legend>{label}</legend>
        {notes}
        <Choices {...props} />
      </fieldset>
    )
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={path}>{label}</label>
      {notes}
      <Control {...props} about={problem ? { ...about, 'aria-invalid': 'true' } : about} />
    </div>
  )
}

function Choices({ frame: { t }, path, kind, value }: FieldProps) {
  const choices = isYesOrNo(kind)
    ? [
        { option: 'true', label: t('page.yes'), checked: value === true },
        { option: 'false', label: t('page.no'), checked: value === false },
      ]
    : (kind as { values: readonly string[] }).values.map((option) => ({
        option,
        label: optionOf(t, option),
        checked: ((value ?? []) as readonly string[]).includes(option),
      }))
  return (
    <div class="choices">
      {isYesOrNo(kind) ? null : (
        // A browser sends nothing of boxes that are not checked.
        <input type="hidden" name={path} value="" />
      )}
      {choices.map(({ option, label, checked }) => (
        <label key={option} class="choice">
          <input type={isYesOrNo(kind) ? 'radio' : 'checkbox'} name={path} value={option} checked={checked} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}

/** Browsers judge dates, which they would send empty when there is no such day; the rest is judged here. */
const INPUTS = {
  date: { type: 'date' },
  phone: { type: 'tel' },
  url: { inputMode: 'url' },
  email: { inputMode: 'email' },
  number_text: { inputMode: 'decimal' },
  percentage_text: { inputMode: 'decimal' },
} as const

function Control({ frame, path, field, kind, value, about }: FieldProps & { about: object }) {
  const text = typeof value === 'string' ? value : ''
  const shared = {
    id: path,
    name: path,
    autocomplete: isOfPerson(path) ? 'off' : (AUTOCOMPLETE[field] ?? 'off'),
    // Whatever script it is written in.
    ...((kind === 'text' || kind === 'short_text') && ({ dir: 'auto' } as const)),
    ...about,
  }
  if (kind === 'country' || typeof kind === 'object') {
    const options =
      kind === 'country'
        ? COUNTRIES[frame.language]
        : kind.values.map((option) => ({ option, label: optionOf(frame.t, option) }))
    return (
      <select {...shared}>
        <option value="">{frame.t('page.choose')}</option>
        {options.map(({ option, label }) => (
          <option key={option} value={option} selected={option === text}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  // An input of one line would lose where lines end.
  if (LONG.has(field) || text.includes('\n'))
    return (
      <textarea {...shared} rows={4}>
        {text}
      </textarea>
    )
  const more = kind in INPUTS ? INPUTS[kind as keyof typeof INPUTS] : {}
  const narrow = 'inputMode' in more && more.inputMode === 'decimal'
  return (
    <input
      type="text"
      {...shared}
      // Preact's types tell inputs apart; these take the same attributes.
      {...(more as object)}
      {...((narrow || kind === 'date' || /^postal_code/.test(field)) && { class: 'narrow' })}
      value={text}
    />
  )
}

/** A value in words. */
export function textOf({ t, language }: Frame, kind: FieldKind | undefined, value: unknown): string {
  if (isYesOrNo(kind)) return t(value ? 'page.yes' : 'page.no')
  if (kind === 'country' || kind === 'country_list')
    return String(value)
      .split(',')
      .map((code) => COUNTRIES[language].find(({ option }) => option === code.trim())?.label ?? code)
      .join(', ')
  if (kind === 'date') {
    const date = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
    return date.format(new Date(`${value}T00:00:00Z`))
  }
  if (typeof kind === 'object')
    return [value]
      .flat()
      .map((each) => optionOf(t, String(each)))
      .join(', ')
  return String(value)
}

/** What is wrong with a field, in words about it. */
export function problemText(t: Translate, field: string, kind: FieldKind | undefined): string {
  const label = labelOf(t, field)
  if (typeof kind === 'object') return t('problem.choice', { label })
  const name = `problem.${kind === 'short_text' ? 'text' : kind}`
  return isTextName(name) ? t(name, { label, max: 5_000 }) : t('problem.choice', { label })
}
