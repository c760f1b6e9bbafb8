/** Component: entered values, read-only. */
import type { FileDetails } from '../../domain/file.ts'
import type { Fields, FieldType } from '../../domain/kyb/field.ts'
import { isEmpty } from '../form-values.ts'
import { labelOf, textOf } from './fields.tsx'
import type { Frame } from './layout.tsx'

const SHORT = 100

/** Shortens a name for labels, because a page can repeat many names. The page shows the full name once. */
export const inShort = (name: string): string =>
  name.length > SHORT ? `${[...name.slice(0, SHORT)].slice(0, -1).join('')}…` : name

interface ValuesProps {
  readonly frame: Frame
  readonly fields: Fields
  readonly values: object
  /** The files, keyed by ID, for their names. */
  readonly files: ReadonlyMap<string, Pick<FileDetails, 'name'>>
}

export function Values({ frame, fields, values, files }: ValuesProps) {
  const given = values as Readonly<Record<string, unknown>>
  return (
    <dl class="values">
      {Object.entries(fields).map(([name, { type }]) => (
        <div key={name}>
          <dt>{labelOf(frame.t, name)}</dt>
          <dd>
            <Shown frame={frame} type={type} value={given[name]} files={files} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ShownProps {
  readonly frame: Frame
  readonly type: FieldType
  readonly value: unknown
  readonly files: ReadonlyMap<string, Pick<FileDetails, 'name'>>
}

function Shown({ frame, type, value, files }: ShownProps) {
  if (isEmpty(value)) return <span class="quiet">{frame.t('check.notGiven')}</span>
  if (type === 'files')
    return <>{(value as readonly string[]).map((id) => files.get(id)?.name ?? '').join(', ')}</>
  return <>{textOf(frame, type, value)}</>
}

/**
 * Links to the field. The visible text is short, because the value is next to the link. Only screen readers need the
 * label.
 */
export const ChangeLink = ({ frame: { t }, href, label }: { frame: Frame; href: string; label: string }) => (
  <a href={href}>
    {t('check.change')}
    <span class="unseen">: {label}</span>
  </a>
)
