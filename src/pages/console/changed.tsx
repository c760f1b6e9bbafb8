/** Component: the value that a field had at the last decision, if it has changed. */
import type { FieldType } from '../../domain/fields/field.ts'
import type { Change } from '../../domain/kyb/changes.ts'
import { Chip } from '../components/chip.tsx'
import { textOf } from '../components/fields.tsx'
import type { Frame } from '../components/layout.tsx'
import { isEmpty } from '../values/form-values.ts'

interface ChangedProps {
  readonly frame: Frame
  readonly type: FieldType
  readonly currency?: string | undefined
  readonly change: Change | undefined
}

type Files = readonly { readonly id: string; readonly name: string }[]

export function Changed({ frame, type, currency, change }: ChangedProps) {
  if (!change) return null
  const { t } = frame
  return (
    <p class="changed">
      <Chip tone="accent">{t('console.changed')}</Chip>{' '}
      {type === 'files' ? (
        <ChangedFiles frame={frame} before={filesOf(change.before)} after={filesOf(change.after)} />
      ) : isEmpty(change.before) ? (
        <span class="quiet">{t('console.changed.nothing')}</span>
      ) : (
        <del>{textOf(frame, type, change.before, currency)}</del>
      )}
    </p>
  )
}

const filesOf = (value: unknown): Files => (value ?? []) as Files

function ChangedFiles({ frame: { t }, before, after }: { frame: Frame; before: Files; after: Files }) {
  const namesOf = (files: Files, others: Files) => {
    const known = new Set(others.map(({ id }) => id))
    return files.filter(({ id }) => !known.has(id)).map(({ name }) => name)
  }
  const added = namesOf(after, before)
  const removed = namesOf(before, after)
  return (
    <>
      {added.length > 0 ? <ins>{t('console.changed.added', { names: added.join(', ') })}</ins> : null}{' '}
      {removed.length > 0 ? <del>{t('console.changed.removed', { names: removed.join(', ') })}</del> : null}
    </>
  )
}
