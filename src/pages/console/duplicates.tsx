/** Component: possible duplicates of a case, each with the matching data. */

import { consolePath } from '../../domain/entity/console-path.ts'
import type { Duplicates } from '../../domain/review/review.ts'
import type { Frame } from '../components/layout.tsx'
import type { Need } from './needs.tsx'
import { wordOf } from './words.ts'

/** Returns one point with the possible duplicates, or an empty list if there are none. */
export function duplicatesNeed(frame: Frame, { duplicates, areMore }: Duplicates): Need[] {
  if (duplicates.length === 0) return []
  const { t } = frame
  const namesOf = (reasons: readonly string[]) =>
    reasons.map((reason) => wordOf(frame, 'console.duplicate', reason)).join(', ')
  return [
    {
      key: 'duplicates',
      state: 'warning',
      title: `${t('console.duplicates')}: ${duplicates.length}${areMore ? '+' : ''}`,
      note: namesOf([...new Set(duplicates.flatMap(({ reasons }) => reasons))]),
      more: (
        <ul class="list">
          {duplicates.map(({ kind, id, title, vault, status, reasons }) => (
            <li key={id}>
              <a href={consolePath(kind, id)}>{title ?? id}</a>{' '}
              <span class="quiet">
                {vault.name}, {wordOf(frame, 'console.status', status)}
              </span>
              <div>{namesOf(reasons)}</div>
            </li>
          ))}
          {areMore ? <li class="quiet">{t('console.duplicates.more')}</li> : null}
        </ul>
      ),
    },
  ]
}
