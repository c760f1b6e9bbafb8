/** Component: the entered data of a case, with the changes and findings of each field. */
import type { ComponentChildren } from 'preact'
import { type FileDetails, unusableWarning } from '../../../domain/base/file.ts'
import type { Correction, Reply } from '../../../domain/decision/decision.ts'
import type { Facts } from '../../../domain/fields/condition.ts'
import { type Fields as FieldTable, type FieldType, isAsked } from '../../../domain/fields/field.ts'
import type { Change } from '../../../domain/kyb/changes.ts'
import type { Due } from '../../../domain/kyb/requirements.ts'
import { markKey } from '../../../domain/review/review-mark.ts'
import { correctionText } from '../../applicant/base/correction.ts'
import { invalidText } from '../../applicant/base/due.ts'
import { Chip } from '../../components/chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { textOf } from '../../components/fields.tsx'
import { Flag, Glyph, Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { isEmpty } from '../../values/form-values.ts'
import { labelOf } from '../base/words.ts'
import { Changed } from './changed.tsx'
import { MarkKeys, MarkRow, type Marks } from './marks.tsx'
import { Document, type ShownFile } from './viewer.tsx'

export interface ShownField {
  readonly field: string
  readonly path: string
  readonly type: FieldType
  readonly currency?: string
  readonly value: unknown
  /** True if the form asks for the field only with other answers. */
  readonly isUnasked?: boolean
}

/** Returns the fields with their values, at paths that begin with `prefix`. Files have their details. */
export const shownFields = (
  fields: FieldTable,
  values: object,
  prefix: string,
  files: ReadonlyMap<string, FileDetails>,
  facts: Facts,
): ShownField[] =>
  Object.entries(fields).map(([name, known]) => {
    const { type, currency } = known
    const value = (values as Readonly<Record<string, unknown>>)[name]
    const ids = type === 'files' ? ((value ?? []) as readonly string[]) : null
    return {
      field: name.split('.').at(-1) ?? name,
      type,
      ...(currency !== undefined && { currency }),
      path: `${prefix}${name}`,
      isUnasked: !isAsked(known, facts),
      value: ids ? ids.map((id) => ({ id, name: '', ...files.get(id) })) : value,
    }
  })

/** Returns the marks of the fields with a value. Documents have marks of their own. */
export const acceptableIn = ({ canFlag }: Marks, fields: readonly ShownField[]): string[] =>
  fields
    .filter(({ type, value }) => type !== 'files' && !isEmpty(value))
    .map(({ path }) => ({ path, fileId: null }))
    .filter(canFlag)
    .map(markKey)

interface FieldsProps {
  readonly frame: Frame
  readonly marks: Marks
  readonly id: string
  readonly title: string
  readonly fields: readonly ShownField[]
  /** The open corrections of the latest decision. */
  readonly corrections: readonly Correction[]
  /** The replies to corrections that the applicant disputes. */
  readonly replies?: readonly Reply[]
  /** The outstanding requirements. Empty fields that are not among them are collapsed, or omitted if they are not asked. */
  readonly due?: readonly Due[]
  /** The changes since the latest decision. */
  readonly changes?: readonly Change[]
  readonly children?: ComponentChildren
}

/** Returns the fields that the list does not collapse: those with a value, and those that need one. */
export function listedIn(props: Omit<FieldsProps, 'frame' | 'id' | 'title'>): ShownField[] {
  const { marks, fields, corrections, replies = [], due = [], changes = [] } = props
  return fields.filter(
    ({ path, value }) =>
      !isEmpty(value) ||
      marks.flagging === path ||
      marks.byKey.has(path) ||
      [due, corrections, replies, changes].some((list) => list.some((each) => each.path === path)),
  )
}

export function Fields(props: FieldsProps) {
  const { frame, id, title, fields, children } = props
  const { t } = frame
  const listed = listedIn(props)
  const silent = fields.filter((each) => !each.isUnasked && !listed.includes(each))
  const areFiles = silent.every(({ type }) => type === 'files')
  const list = (shown: readonly ShownField[]) =>
    shown.length === 0 ? null : (
      <dl class="facts">
        {shown.map((field) => (
          <FieldRow key={field.path} {...props} scope="field" field={field} />
        ))}
      </dl>
    )
  return (
    <section class="case-part" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      {fields.length === 0 ? <EmptyState icon="file-text" text={t('console.nothingKnown')} /> : list(listed)}
      {silent.length > 0 ? (
        <details>
          <summary class="quiet fold-head">
            <Icon name="chevron-down" />
            {t(areFiles ? 'console.silent.files' : 'console.silent', { count: silent.length })}
            <span class="unseen">: {title}</span>
          </summary>
          {list(silent)}
        </details>
      ) : null}
    </section>
  )
}

export interface FieldRowProps
  extends Pick<FieldsProps, 'frame' | 'marks' | 'corrections' | 'replies' | 'due' | 'changes'> {
  /** Distinguishes rows of the same field in different panes. */
  readonly scope: string
  readonly field: ShownField
  /** The person whom the field is about, if the pane shows several people. */
  readonly about?: string
}

export function FieldRow(props: FieldRowProps) {
  const { frame, scope, about, corrections, replies = [], due = [], changes = [] } = props
  const { field, path, type, currency, value } = props.field
  const { t } = frame
  // Existing files are marked next to the open document.
  const hasFiles = type === 'files' && !isEmpty(value) && !props.marks.byKey.get(path)?.code
  const marks = hasFiles ? withoutKeys(props.marks) : props.marks
  const isAbout = (each: { readonly path: string }) => each.path === path
  const correction = correctionText(frame, corrections, path)
  // The row of an unusable file states its problem.
  const unstated = due.filter(({ reason }) => reason !== 'unreadable')
  const invalid = invalidText(frame, unstated, path)
  const label = [about, labelOf(t, field)].filter(Boolean).join(': ')
  const row = { marks, scope, place: { path, fileId: null }, label }
  return (
    <MarkRow {...row}>
      <dt>{label}</dt>
      <dd>
        <Value {...{ frame, marks, scope, path, type, currency, value }} />
        <Changed frame={frame} type={type} currency={currency} change={changes.find(isAbout)} />
        {invalid ? <p class="tone-warning">{invalid}</p> : null}
        {correction ? <p class="comment">{correction}</p> : null}
        {replies.filter(isAbout).map(({ fileId, reply }) => (
          <p key={fileId ?? ''}>
            <Chip tone="info">{t('console.replied')}</Chip> {reply}
          </p>
        ))}
        <MarkKeys {...row} canAccept={!isEmpty(value) && type !== 'files'} />
      </dd>
    </MarkRow>
  )
}

const withoutKeys = (marks: Marks): Marks => ({ ...marks, canMark: false })

const filesIn = (value: unknown): readonly ShownFile[] => (value ?? []) as readonly ShownFile[]

interface ValueProps {
  readonly frame: Frame
  readonly marks: Marks
  readonly scope: string
  readonly path: string
  readonly type: FieldType
  readonly currency: string | undefined
  readonly value: unknown
}

function Value({ frame, marks, scope, path, type, currency, value }: ValueProps) {
  if (isEmpty(value)) return <span class="faint">{frame.t('check.notGiven')}</span>
  if (type === 'files')
    return (
      <>
        {filesIn(value).map((file) => (
          <FileMark key={file.id} {...{ frame, scope, path, file }} marks={withoutKeys(marks)} />
        ))}
      </>
    )
  return (
    <span class="value">
      {type === 'country' ? <Flag country={String(value)} /> : null}
      {textOf(frame, type, value, currency)}
    </span>
  )
}

interface FileMarkProps extends Pick<ValueProps, 'frame' | 'marks' | 'scope' | 'path'> {
  readonly file: ShownFile
  /** The name of the document, if the row does not follow it. */
  readonly title?: string | undefined
}

export function FileMark({ frame, marks, scope, path, file, title }: FileMarkProps) {
  const row = { marks, scope, place: { path, fileId: file.id }, label: file.name }
  const { warnings = [] } = file
  const unusable = unusableWarning(warnings)
  return (
    <MarkRow {...row} class="mark-file">
      {title === undefined ? null : <p class="quiet small">{title}</p>}
      <Document base={marks.base} {...file} />
      {warnings.map((warning) => (
        <div key={warning} class={`file-problem ${warning === unusable ? 'tone-danger' : 'tone-warning'}`}>
          <Glyph state={warning === unusable ? 'refused' : 'warning'} />
          {frame.t(`console.warning.${warning}`)}
        </div>
      ))}
      {file.side && title === undefined ? (
        <span class="quiet">{frame.t(`files.side.${file.side}`)}</span>
      ) : null}
      <MarkKeys {...row} />
    </MarkRow>
  )
}
