/** Component: the corrections and missing fields that prevent a submission, each with its reason. */
import type { ComponentChildren } from 'preact'
import type { Frame } from '../components/layout.tsx'

export interface DueField {
  readonly href: string
  readonly label: string
  readonly why: string | null
  /** The form to reply without a change. */
  readonly reply?: ComponentChildren
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
        {fields.map(({ href, label, why, reply }) => (
          <li key={label}>
            <a href={href}>{label}</a>
            {why === null ? null : <div class="quiet">{why}</div>}
            {reply}
          </li>
        ))}
      </ul>
    </>
  )
}
