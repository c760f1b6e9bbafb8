/** Component: possible duplicates of a case, each with the matching data. */

import { consolePath } from '../../domain/entity/console-path.ts'
import type { Duplicates as Found } from '../../domain/review/review.ts'
import { Icon } from '../components/icon.tsx'
import type { Frame } from '../components/layout.tsx'
import { wordOf } from './words.ts'

interface DuplicatesProps {
  readonly frame: Frame
  readonly found: Found
}

export function Duplicates({ frame, found }: DuplicatesProps) {
  const { t } = frame
  const { duplicates, areMore } = found
  if (duplicates.length === 0) return null
  const count = `${duplicates.length}${areMore ? '+' : ''}`
  const reasons = [...new Set(duplicates.flatMap((each) => each.reasons))]
  return (
    <details class="card rows case-fold" id="duplicates">
      <summary class="need">
        <Icon name="copy" size={20} />
        <span class="row-text">
          <span class="row-name">
            {t('console.duplicates')}: {count}
          </span>
          <span class="row-note">
            {reasons.map((reason) => wordOf(frame, 'console.duplicate', reason)).join(', ')}
          </span>
        </span>
        <span class="row-end">
          <Icon name="chevron-down" />
        </span>
      </summary>
      <ul class="list need-more">
        {duplicates.map(({ kind, id, title, vault, status, reasons: own }) => (
          <li key={id}>
            <a href={consolePath(kind, id)}>{title ?? id}</a>{' '}
            <span class="quiet">
              {vault.name}, {wordOf(frame, 'console.status', status)}
            </span>
            <div>{own.map((reason) => wordOf(frame, 'console.duplicate', reason)).join(', ')}</div>
          </li>
        ))}
        {areMore ? <li class="quiet">{t('console.duplicates.more')}</li> : null}
      </ul>
    </details>
  )
}
