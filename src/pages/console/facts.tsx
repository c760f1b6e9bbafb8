/** Component: the entered data of a case, with changes and findings for each field. */
import type { ComponentChildren } from 'preact'
import type { Correction, Reply } from '../../domain/decision/decision.ts'
import type { FileDetails } from '../../domain/file.ts'
import type { Change } from '../../domain/kyb/changes.ts'
import type { Fields as FieldTable, FieldType } from '../../domain/kyb/field.ts'
import type { Due } from '../../domain/kyb/requirements.ts'
import { correctionText } from '../applicant/correction.ts'
import { dueText } from '../applicant/due.ts'
import { textOf } from '../components/fields.tsx'
import type { Frame } from '../components/layout.tsx'
import { isEmpty } from '../form-values.ts'
import { Changed } from './changed.tsx'
import { Finding, type TypedFinding } from './finding.tsx'
import { Document, type ShownFile } from './viewer.tsx'
import { labelOf } from './words.ts'

export interface ShownField {
  readonly field: string
  readonly path: string
  readonly type: FieldType
  readonly value: unknown
}

/**
 * Returns the fields of a table with their values; `prefix` precedes their names in their paths. Files are shown with
 * their details.
 */
export const shownFields = (
  fields: FieldTable,
  values: object,
  prefix: string,
  files: ReadonlyMap<string, FileDetails> = new Map(),
): ShownField[] =>
  Object.entries(fields).map(([field, { type }]) => {
    const value = (values as Readonly<Record<string, unknown>>)[field]
    const ids = type === 'files' ? ((value ?? []) as readonly string[]) : null
    return {
      field,
      type,
      path: `${prefix}${field}`,
      value: ids ? ids.map((id) => ({ id, name: '', ...files.get(id) })) : value,
    }
  })

interface FieldsProps {
  readonly frame: Frame
  /** The path of the page of the case. */
  readonly base: string
  readonly id: string
  readonly title: string
  readonly fields: readonly ShownField[]
  /** The open corrections of the last decision. */
  readonly corrections: readonly Correction[]
  /** The replies to corrections that the applicant disputes. */
  readonly replies?: readonly Reply[]
  /** True if a decision can record findings on the fields. */
  readonly canFind: boolean
  readonly found: readonly TypedFinding[]
  /** The outstanding requirements. All other empty fields are collapsed. */
  readonly due?: readonly Due[]
  /** The changes since the last decision. */
  readonly changes?: readonly Change[]
  readonly children?: ComponentChildren
}

export function Fields({
  frame,
  base,
  id,
  title,
  fields,
  corrections,
  replies = [],
  canFind,
  found,
  due = [],
  changes = [],
  children,
}: FieldsProps) {
  const { t } = frame
  const isAbout = (path: string) => (each: { readonly path: string }) => each.path === path
  const isSpoken = ({ path, value }: ShownField) =>
    !isEmpty(value) ||
    due.some(isAbout(path)) ||
    found.some(isAbout(path)) ||
    corrections.some(isAbout(path)) ||
    replies.some(isAbout(path)) ||
    changes.some(isAbout(path))
  const silent = fields.filter((each) => !isSpoken(each))
  const list = (shown: readonly ShownField[]) => (
    <dl class="facts">
      {shown.map(({ field, path, type, value }) => {
        const correction = correctionText(frame, corrections, path)
        const isDue = due.find(isAbout(path))
        const label = labelOf(t, field)
        const findingOf = (fileId?: string, name = label) =>
          canFind ? (
            <Finding
              frame={frame}
              path={path}
              label={name}
              typed={found}
              {...(fileId !== undefined && { fileId })}
            />
          ) : null
        return (
          <div key={path} {...(correction && { class: 'field-invalid' })}>
            <dt>{label}</dt>
            <dd class="mendable">
              <div>
                {isDue && isEmpty(value) ? null : (
                  <Value frame={frame} base={base} type={type} value={value} findingOf={findingOf} />
                )}
                <Changed frame={frame} type={type} change={changes.find(isAbout(path))} />
                {isDue ? <p class="quiet">{dueText(frame, isDue)}</p> : null}
                {correction ? <p class="comment">{correction}</p> : null}
                {replies.filter(isAbout(path)).map(({ fileId, reply }) => (
                  <p key={fileId ?? ''}>
                    <strong class="badge">{t('console.replied')}</strong> {reply}
                  </p>
                ))}
              </div>
              {findingOf()}
            </dd>
          </div>
        )
      })}
    </dl>
  )
  return (
    <section class="case-part" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      {fields.length === 0 ? <p class="quiet">{t('console.nothingKnown')}</p> : list(fields.filter(isSpoken))}
      {silent.length > 0 ? (
        <details>
          <summary class="quiet">
            {t('console.silent', { count: silent.length })}
            <span class="unseen">: {title}</span>
          </summary>
          {list(silent)}
        </details>
      ) : null}
    </section>
  )
}

interface ValueProps {
  readonly frame: Frame
  readonly base: string
  readonly type: FieldType
  readonly value: unknown
  readonly findingOf: (fileId: string, name: string) => ComponentChildren
}

function Value({ frame, base, type, value, findingOf }: ValueProps) {
  if (isEmpty(value)) return <span class="quiet">{frame.t('check.notGiven')}</span>
  if (type === 'files')
    return (
      <>
        {(value as readonly ShownFile[]).map((file) => (
          <div key={file.id}>
            <Document base={base} {...file} />
            {findingOf(file.id, file.name)}
          </div>
        ))}
      </>
    )
  return <>{textOf(frame, type, value)}</>
}
