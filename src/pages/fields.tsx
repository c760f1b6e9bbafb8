/** Fields of an application on pages: which control each kind has, and what comes back from it. */
import { type FieldKind, isFiles } from '../domain/kyb-fields.ts'
import { COUNTRIES } from './countries.ts'
import type { FieldProblem, Frame } from './layout.tsx'
import { isTextName, type Translate } from './texts/index.ts'

export type Fields = Readonly<Record<string, FieldKind>>
/** As it is sent by a form. */
export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>

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
  readonly required: boolean
  readonly problem: FieldProblem | undefined
  /** What a reviewer wants mended. */
  readonly comment?: string | null | undefined
}

export function Field(props: FieldProps) {
  const { frame, path, field, kind, problem, comment } = props
  const { t } = frame
  const group = kind === 'boolean' || (typeof kind === 'object' && kind.kind === 'some_of')
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
        <p class="problem" id={`${path}-problem`}>
          {problem.message}
        </p>
      ) : null}
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
  const choices =
    kind === 'boolean'
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
      {choices.map(({ option, label, checked }) => (
        <label key={option} class="choice">
          <input
            type={kind === 'boolean' ? 'radio' : 'checkbox'}
            name={path}
            value={option}
            checked={checked}
          />
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
      {...((narrow || kind === 'date' || field === 'postal_code_address') && { class: 'narrow' })}
      value={text}
    />
  )
}

const isNumber = (kind: FieldKind): boolean => kind === 'number_text' || kind === 'percentage_text'

/** A comma as of decimals. */
const withPoint = (number: string): string => number.replace(/^(\d+),(\d+)$/, '$1.$2')

/** Whether it may mean a thousand times what it says: 50.000, in some countries. */
export const isAmbiguous = (kind: FieldKind | undefined, value: unknown): boolean =>
  kind === 'number_text' && /^\d+\.\d{3}$/.test(String(value))

/** Those that differ from what the form showed: controls bring some values back in another form. */
export const changedFields = (
  values: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([field, value]) => plain(value) !== plain(shown[field])))

const plain = (value: unknown): string => {
  if (Array.isArray(value)) return [...value].sort().join()
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : String(value ?? '')
}

/** What the form says of the fields, as `PATCH /kyb/{id}` takes it: what is empty is cleared, files stay away. */
export function readFields(prefix: string, fields: Fields, sent: Sent): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([field, kind]): [string, unknown][] => {
    if (isFiles(kind)) return []
    const given = [sent[`${prefix}${field}`] ?? []].flat().map((text) => text.trim())
    if (typeof kind === 'object' && kind.kind === 'some_of') return [[field, given.filter(Boolean)]]
    const [sentText = ''] = given
    const text = isNumber(kind) ? withPoint(sentText) : sentText.replaceAll('\r\n', '\n')
    if (kind === 'boolean') return text === '' ? [] : [[field, text === 'true']]
    return [[field, text === '' ? null : text]]
  })
  return Object.fromEntries(entries)
}

/** What is wrong with a field, in words about it. */
export function problemText(t: Translate, field: string, kind: FieldKind | undefined): string {
  const label = labelOf(t, field)
  if (typeof kind === 'object') return t('problem.choice', { label })
  const name = `problem.${kind}`
  return isTextName(name) ? t(name, { label, max: 5_000 }) : t('problem.choice', { label })
}
