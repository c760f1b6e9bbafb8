/** What was entered, to read. */
import type { FieldKind } from '../domain/kyb-fields.ts'
import { COUNTRIES } from './countries.ts'
import { type Fields, labelOf, optionOf } from './fields.tsx'
import type { Frame } from './layout.tsx'

interface ValuesProps {
  readonly frame: Frame
  readonly fields: Fields
  readonly values: object
  /** Names of files by id. */
  readonly files: ReadonlyMap<string, string>
}

export function Values({ frame, fields, values, files }: ValuesProps) {
  const given = values as Readonly<Record<string, unknown>>
  return (
    <dl>
      {Object.entries(fields).map(([field, kind]) => (
        <div key={field}>
          <dt>{labelOf(frame.t, field)}</dt>
          <dd>
            <Shown frame={frame} kind={kind} value={given[field]} files={files} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ShownProps {
  readonly frame: Frame
  readonly kind: FieldKind
  readonly value: unknown
  readonly files: ReadonlyMap<string, string>
}

function Shown({ frame: { t, language }, kind, value, files }: ShownProps) {
  const isEmpty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty) return <span class="quiet">{t('check.notGiven')}</span>
  if (kind === 'boolean') return <>{t(value ? 'page.yes' : 'page.no')}</>
  if (kind === 'files') return <>{(value as readonly string[]).map((id) => files.get(id) ?? '').join(', ')}</>
  if (kind === 'country')
    return <>{COUNTRIES[language].find(({ option }) => option === value)?.label ?? String(value)}</>
  if (kind === 'date')
    return (
      <>
        {new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(
          new Date(`${value}T00:00:00Z`),
        )}
      </>
    )
  if (typeof kind === 'object')
    return (
      <>
        {[value]
          .flat()
          .map((each) => optionOf(t, String(each)))
          .join(', ')}
      </>
    )
  return <>{String(value)}</>
}
