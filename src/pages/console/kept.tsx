/** The notice about values that were removed under a legal hold or an open case, and that only operators still see. */
import type { KeptValue } from '../../domain/review/removed.ts'
import type { Frame } from '../components/layout.tsx'
import { Names, type Need } from './needs.tsx'
import { momentOf } from './words.ts'

interface KeptProps {
  readonly frame: Frame
  readonly removed: readonly KeptValue[]
  readonly labelOf: (path: string) => string
  readonly fileName: (id: string) => string | undefined
}

export function keptNeed({ frame, removed, labelOf, fileName }: KeptProps): Need[] {
  if (removed.length === 0) return []
  const { t } = frame
  const names = removed.map(({ path, value, isFile, removedAt }) =>
    t('console.kept.value', {
      label: labelOf(path),
      value: isFile ? (fileName(String(value)) ?? '') : [value].flat().join(', '),
      moment: momentOf(frame, removedAt),
    }),
  )
  return [
    {
      key: 'kept',
      state: 'warning',
      title: t('console.kept'),
      note: t('console.kept.note'),
      more: <Names names={names} />,
    },
  ]
}
