/** Component: a read-only list of entered values. */
import type { FileDetails } from '../../domain/base/file.ts'
import type { Field, Fields } from '../../domain/fields/field.ts'
import { isEmpty } from '../values/form-values.ts'
import { wholeAddress } from './address.ts'
import { labelOf, textOf } from './fields.tsx'
import { Icon } from './icon.tsx'
import type { Frame } from './layout.tsx'

const SHORT = 100

/**
 * Shortens a text to whole words for labels, because a page can repeat it often. The page shows the full text once. A
 * long word without spaces is cut.
 */
export function inShort(text: string, length = SHORT): string {
  if (text.length <= length) return text
  const cut = [...text.slice(0, length)].slice(0, -1).join('')
  return `${cut.replace(/(?<=\S.*)\s\S*$/s, '')}…`
}

interface ValuesProps {
  readonly frame: Frame
  readonly fields: Fields
  readonly values: object
  /** The files, keyed by ID. The list shows their names. */
  readonly files: ReadonlyMap<string, Pick<FileDetails, 'name'>>
  /** The required fields without a valid value. Other empty fields are in a collapsed list, without documents. */
  readonly missing: ReadonlySet<string>
  /** Returns the address at which the applicant adds a missing value. If absent, the list has no links. */
  readonly hrefOf?: (name: string) => string
}

export function Values({ missing, ...props }: ValuesProps) {
  const { frame, fields, values } = props
  const given = values as Readonly<Record<string, unknown>>
  const isUnanswered = (name: string) => isEmpty(given[name]) && !missing.has(name)
  const entries = Object.entries(fields)
  const shown = entries.filter(([name]) => !isUnanswered(name))
  const unanswered = entries.filter(([name, { type }]) => type !== 'files' && isUnanswered(name))
  return (
    <>
      {shown.length > 0 ? <List {...props} fields={Object.fromEntries(shown)} /> : null}
      {unanswered.length > 0 ? (
        <details class="folded unanswered">
          <summary>
            {frame.t('check.unanswered', { count: unanswered.length })}
            <Icon name="chevron-down" size={16} />
          </summary>
          <List {...props} fields={Object.fromEntries(unanswered)} isOptional />
        </details>
      ) : null}
    </>
  )
}

interface ListProps extends Omit<ValuesProps, 'missing'> {
  readonly isOptional?: boolean
}

/** Lists the values. Those of an address share a row. */
function List({ frame, fields, values, files, hrefOf, isOptional = false }: ListProps) {
  const given = values as Readonly<Record<string, unknown>>
  const address = wholeAddress(Object.keys(fields), given)
  const [first, ...others] = address?.names ?? []
  return (
    <dl class="values">
      {Object.entries(fields).map(([name, field]) =>
        others.includes(name) ? null : name === first ? (
          <div key={name}>
            <dt>{frame.t('group.address')}</dt>
            <dd>{address?.lines.join('\n')}</dd>
          </div>
        ) : (
          <div key={name}>
            <dt>{labelOf(frame.t, name)}</dt>
            <dd>
              <Shown
                frame={frame}
                field={field}
                value={given[name]}
                files={files}
                isOptional={isOptional}
                href={hrefOf?.(name)}
                label={labelOf(frame.t, name)}
              />
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** Says that a value is missing, or with a text how many are. */
export const MissingValue = ({ frame, text }: { readonly frame: Frame; readonly text?: string }) => (
  <span class="value-missing">
    <Icon name="circle-alert" size={16} />
    {text ?? frame.t('check.fieldMissing')}
  </span>
)

interface ShownProps {
  readonly frame: Frame
  readonly field: Field
  readonly value: unknown
  readonly files: ReadonlyMap<string, Pick<FileDetails, 'name'>>
  readonly isOptional: boolean
  readonly href: string | undefined
  readonly label: string
}

function Shown({ isOptional, href, label, ...shown }: ShownProps) {
  const { frame, value } = shown
  if (isEmpty(value))
    return isOptional ? (
      <span class="quiet">{frame.t('check.notGiven')}</span>
    ) : (
      <>
        <MissingValue frame={frame} />
        {href === undefined ? null : <ChangeLink frame={frame} href={href} label={label} isNew />}
      </>
    )
  return <>{valueText(shown)}</>
}

/** Returns a value as text. Returns the names of files. */
export const valueText = ({
  frame,
  field: { type, currency },
  value,
  files,
}: Pick<ShownProps, 'frame' | 'field' | 'value' | 'files'>): string =>
  type === 'files'
    ? (value as readonly string[]).map((id) => files.get(id)?.name ?? '').join(', ')
    : textOf(frame, type, value, currency)

interface ChangeLinkProps {
  readonly frame: Frame
  readonly href: string
  readonly label: string
  /** True if there is no value to change. */
  readonly isNew?: boolean
}

/** Links to the field. The visible text is short, because the value is next to it. Screen readers add the label. */
export const ChangeLink = ({ frame: { t }, href, label, isNew = false }: ChangeLinkProps) => (
  <a href={href}>
    {t(isNew ? 'check.add' : 'check.change')}
    <span class="unseen">: {label}</span>
  </a>
)
