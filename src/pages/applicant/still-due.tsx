/** Component: the corrections and missing fields that prevent a submission, each with the reason. */
import type { ComponentChildren } from 'preact'
import { Button } from '../components/button.tsx'
import { Glyph } from '../components/glyph.tsx'
import type { Frame } from '../components/layout.tsx'
import { type Finding, ReplyForm, type ReplyFormProps } from './reply.tsx'

export interface DueField {
  readonly href: string
  readonly label: string
  readonly why: string | null
  /** The number of details, if the line stands for several. */
  readonly count?: number
}

/** A finding to which the applicant can reply instead of changing the value. */
export type OpenFinding = DueField & Finding

const countDetails = (fields: readonly DueField[]): number =>
  fields.reduce((sum, { count = 1 }) => sum + count, 0)

interface StillDueProps extends Pick<ReplyFormProps, 'visit' | 'problems' | 'typed'> {
  readonly corrected: readonly OpenFinding[]
  readonly missing: readonly DueField[]
}

export function StillDue({ corrected, missing, ...form }: StillDueProps) {
  const { t } = form.visit.frame
  return (
    <>
      <DueList
        title={t('check.corrections')}
        text={t('check.incomplete')}
        fields={corrected.map((each) => ({
          ...each,
          reply: <ReplyForm finding={each} label={each.label} {...form} />,
        }))}
      />
      <DueList
        title={t('check.missing', { count: countDetails(missing) })}
        text={t('check.incomplete')}
        fields={missing}
        isRepeated
      />
    </>
  )
}

interface LockedSubmissionProps {
  readonly frame: Frame
  readonly label: string
  readonly missing: readonly DueField[]
  readonly children?: ComponentChildren
}

/** Renders the locked submit button. Its description names the missing detail, or counts several. */
export const LockedSubmission = ({ frame: { t }, label, missing, children }: LockedSubmissionProps) => (
  <div class="dock">
    <Button type="button" icon="lock" aria-disabled="true" aria-describedby="locked-reason">
      {label}
    </Button>
    {children}
    <p id="locked-reason" class="dock-note row-note">
      {missing.length === 1 && missing[0]?.why === null
        ? missing[0].label
        : t('check.missing', { count: countDetails(missing) })}
    </p>
  </div>
)

interface DueListProps {
  readonly title: string
  readonly text: string
  readonly fields: readonly (DueField & { readonly reply?: ComponentChildren })[]
  /** True if other parts of the page also show these fields, so that paper shows only their number. */
  readonly isRepeated?: boolean
}

function DueList({ title, text, fields, isRepeated = false }: DueListProps) {
  if (fields.length === 0) return null
  return (
    <section class={isRepeated ? 'banner banner-warning due-missing' : 'banner banner-warning'}>
      <Glyph state="warning" />
      <div class="banner-text">
        <h2>{title}</h2>
        <p>{text}</p>
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
