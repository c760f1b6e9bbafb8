/** Component: possible duplicates of a case, with the matching data. */
import type { Duplicates as Found } from '../../domain/decision/review.ts'
import { consolePath } from '../../domain/entity.ts'
import type { Frame } from '../components/layout.tsx'
import { wordOf } from './words.ts'

interface DuplicatesProps {
  readonly frame: Frame
  readonly found: Found
}

export function Duplicates({ frame, found }: DuplicatesProps) {
  const { t } = frame
  if (found.duplicates.length === 0) return null
  return (
    <section class="card" aria-labelledby="duplicates-title" id="duplicates">
      <h2 id="duplicates-title">{t('console.duplicates')}</h2>
      <ul class="plain">
        {found.duplicates.map(({ kind, id, title, vault, status, reasons }) => (
          <li key={id}>
            <a href={consolePath(kind, id)}>{title ?? id}</a>{' '}
            <span class="quiet">
              {vault.name}, {wordOf(frame, 'console.status', status)}
            </span>
            <div>{reasons.map((reason) => wordOf(frame, 'console.duplicate', reason)).join(', ')}</div>
          </li>
        ))}
      </ul>
      {found.areMore ? <p class="quiet">{t('console.duplicates.more')}</p> : null}
    </section>
  )
}

/** Renders the number of duplicates for the summary of the case. */
export function duplicateCount({ t }: Frame, { duplicates, areMore }: Found) {
  if (duplicates.length === 0) return t('console.none')
  const count = `${duplicates.length}${areMore ? '+' : ''}`
  return (
    <a class="badge" href="#duplicates">
      {count}
    </a>
  )
}
