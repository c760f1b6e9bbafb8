/** What keeps a form from being sent: what is to be corrected, and what is missing, each with the reason. */
import type { Frame } from '../components/layout.tsx'

export interface DueField {
  readonly href: string
  readonly label: string
  readonly why: string | null
}

interface StillDueProps {
  readonly frame: Frame
  readonly corrected: readonly DueField[]
  readonly missing: readonly DueField[]
}

export function StillDue({ frame: { t }, corrected, missing }: StillDueProps) {
  if (corrected.length + missing.length === 0) return null
  return (
    <div class="notice">
      <DueList title={t('check.corrections')} fields={corrected} />
      <DueList title={t('check.missing')} fields={missing} />
      <p>{t('check.incomplete')}</p>
    </div>
  )
}

function DueList({ title, fields }: { title: string; fields: readonly DueField[] }) {
  if (fields.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {fields.map(({ href, label, why }) => (
          <li key={href}>
            <a href={href}>{label}</a>
            {why === null ? null : <div class="quiet">{why}</div>}
          </li>
        ))}
      </ul>
    </>
  )
}
