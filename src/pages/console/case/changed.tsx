/** Component: the value that a field had at the last decision, if it has changed. */
import type { FieldType } from '../../../domain/fields/field.ts'
import type { Change } from '../../../domain/kyb/changes.ts'
import { Chip } from '../../components/chip.tsx'
import { textOf } from '../../components/fields.tsx'
import type { Frame } from '../../components/layout.tsx'
import { isEmpty } from '../../values/form-values.ts'

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
  if (type === 'files')
    return <ChangedFiles frame={frame} before={filesOf(change.before)} after={filesOf(change.after)} />
  return (
    <p class="changed">
      <Chip tone="accent">{t('console.changed')}</Chip>{' '}
      {isEmpty(change.before) ? (
        <span class="quiet">{t('console.changed.nothing')}</span>
      ) : (
        <del>{textOf(frame, type, change.before, currency)}</del>
      )}
    </p>
  )
}

const filesOf = (value: unknown): Files => (value ?? []) as Files

function ChangedFiles({ frame: { t }, before, after }: { frame: Frame; before: Files; after: Files }) {
  const without = (files: Files, others: Files) =>
    files.filter(({ id }) => !others.some((other) => other.id === id))
  const added = without(after, before)
  const removed = without(before, after)
  return (
    <>
      {added.length > 0 ? (
        <p class="changed">
          <Chip tone="accent">{t('console.changed.added')}</Chip>{' '}
          {/* If all files are new, the row above names them. */}
          {added.length < after.length ? <ins>{namesOf(added)}</ins> : null}
        </p>
      ) : null}
      {removed.length > 0 ? <RemovedNames t={t} names={namesOf(removed)} /> : null}
    </>
  )
}

const namesOf = (files: Files): string => files.map(({ name }) => name).join(', ')

export const RemovedNames = ({ t, names }: Pick<Frame, 't'> & { readonly names: string }) => (
  <p class="changed">
    <Chip tone="accent">{t('console.changed.removed')}</Chip> <del>{names}</del>
  </p>
)
