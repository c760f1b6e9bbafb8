/** Component: the corrections and missing fields that prevent a submission, each with the reason. */
import type { ComponentChildren } from 'preact'
import type { Progress } from '../../../domain/base/progress.ts'
import { Button } from '../../components/button.tsx'
import { Glyph } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { type Missing, missingText } from './due.ts'
import { type Finding, ReplyForm, type ReplyFormProps } from './reply.tsx'
import { lockedText } from './revision-list.tsx'

export interface DueField {
  readonly href: string
  readonly label: string
  readonly why: string | null
  readonly count: Missing
}

/** A finding to which the applicant can reply instead of changing the value. */
export type OpenFinding = Omit<DueField, 'count'> & Finding

interface StillDueProps extends Pick<ReplyFormProps, 'visit' | 'problems' | 'typed'> {
  readonly corrected: readonly OpenFinding[]
  readonly missing: readonly DueField[]
}

export function StillDue({ corrected, missing, ...form }: StillDueProps) {
  const { frame } = form.visit
  const { t } = frame
  return (
    <>
      <DueList
        title={t('check.corrections')}
        fields={corrected.map((each) => ({
          ...each,
          reply: <ReplyForm finding={each} label={each.label} {...form} />,
        }))}
      />
      <DueList title={missingText(frame, ...missing.map(({ count }) => count))} fields={missing} isRepeated />
    </>
  )
}

interface LockedSubmissionProps {
  readonly frame: Frame
  readonly label: string
  /** The requested changes, of which at least one is open, or null if the form is not revised. */
  readonly changes: Progress | null
  readonly children?: ComponentChildren
}

/** Renders the locked submit button. Its description refers to the list of missing details, or to the changes. */
export const LockedSubmission = ({ frame, label, changes, children }: LockedSubmissionProps) => (
  <div class="dock">
    <Button type="button" icon="lock" aria-disabled="true" aria-describedby="locked-reason">
      {label}
    </Button>
    {children}
    <p id="locked-reason" class="dock-note row-note">
      {changes ? lockedText(frame, changes) : frame.t('check.incomplete')}
    </p>
  </div>
)

interface DueListProps {
  readonly title: string
  readonly fields: readonly (Omit<DueField, 'count'> & { readonly reply?: ComponentChildren })[]
  /** True if other parts of the page also show these fields, so that paper shows only their number. */
  readonly isRepeated?: boolean
}

function DueList({ title, fields, isRepeated = false }: DueListProps) {
  if (fields.length === 0) return null
  return (
    <section class={isRepeated ? 'banner banner-warning due-missing' : 'banner banner-warning'}>
      <Glyph state="warning" />
      <div class="banner-text">
        <h2>{title}</h2>
        <ul class="banner-links">
          {fields.map(({ href, label, why, reply }) => (
            <li key={label}>
              <a href={href}>{label}</a>
              {why === null ? null : <p class="lines">{why}</p>}
              {reply}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
