/** Component: the summary of an application, with open points, checks and owners. */

import { consolePath } from '../../domain/entity/console-path.ts'
import type { Change } from '../../domain/kyb/changes.ts'
import { sharesOf } from '../../domain/kyb/shares.ts'
import type { KybUnderReview } from '../../domain/review/review.ts'
import { dueText } from '../applicant/due.ts'
import type { Frame } from '../components/layout.tsx'
import {
  duplicatesNeed,
  keptNeed,
  repliesNeed,
  risksNeed,
  screeningCheck,
  screeningNeeds,
} from './case-needs.tsx'
import { type Check, Checked, Names, type Need, Needs } from './needs.tsx'
import { isOfPerson, Owners, titleOf, titleOfRemoved, verificationOf } from './people.tsx'
import { wordOf } from './words.ts'

interface SummaryProps {
  readonly frame: Frame
  readonly base: string
  readonly review: KybUnderReview
  readonly labelOfPath: (path: string) => string
}

export const ApplicationSummary = (props: SummaryProps) => (
  <>
    <div class="summary-stack">
      <Needs
        frame={props.frame}
        needs={needsOf(props)}
        isPending={props.review.application.state.pending !== null}
      />
      <Owners frame={props.frame} review={props.review} />
    </div>
    <Checked frame={props.frame} checks={checksOf(props)} />
  </>
)

/** The maximum number of missing details that the summary lists at first. */
const MAX_DUE_OPEN = 8

function needsOf({ frame, base, review, labelOfPath }: SummaryProps): Need[] {
  const { t } = frame
  const { application, due, changes, screening } = review
  const { files, replies, content } = application
  const needs = [...screeningNeeds(frame, base, screening), ...duplicatesNeed(frame, review.duplicates)]
  for (const person of content.beneficiaries.beneficiaries_list) {
    const verification = verificationOf(review, person)
    const check = review.checks.get(person.external_id)?.current
    if (check && (verification === 'attention' || verification === 'rejected'))
      needs.push({
        key: person.external_id,
        state: verification === 'rejected' ? 'refused' : 'warning',
        title: titleOf(person),
        note: `${t('console.check')}: ${wordOf(frame, 'console.status', verification)}`,
        href: consolePath('identification', check.id),
      })
  }
  needs.push(
    ...keptNeed({
      frame,
      removed: review.removed,
      labelOf: labelOfPath,
      fileName: (id) => files.get(id)?.name,
    }),
  )
  if (due.length > 0)
    needs.push({
      key: 'due',
      state: 'warning',
      title: t('status.missing', { missing: due.length }),
      isOpen: due.length <= MAX_DUE_OPEN,
      more: <Names names={due.map((each) => `${labelOfPath(each.path)}: ${dueText(frame, each)}`)} />,
    })
  needs.push(
    ...repliesNeed({
      frame,
      replies,
      labelOf: ({ path, fileId = '' }) =>
        [labelOfPath(path), files.get(fileId)?.name].filter(Boolean).join(': '),
    }),
  )
  if (changes.length > 0)
    needs.push({
      key: 'changes',
      state: 'info',
      title: t('console.changes.count', { count: changes.length }),
      note: t('console.changes'),
      more: <Names names={changes.map((change) => labelOfChange(frame, change, labelOfPath))} />,
    })
  needs.push(...risksNeed(frame, review))
  return needs
}

const labelOfChange = (
  frame: Frame,
  { path, before, after }: Change,
  labelOfPath: (path: string) => string,
): string => (isOfPerson(path) ? titleOfRemoved(frame, (after ?? before) as object) : labelOfPath(path))

function checksOf({ frame, review }: SummaryProps): Check[] {
  const { t, language } = frame
  const { application, due, screening } = review
  const people = application.content.beneficiaries.beneficiaries_list
  const verified = people.filter((person) => verificationOf(review, person) === 'approved').length
  const shares = sharesOf(people)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
  return [
    {
      name: t('console.check.due'),
      value: t(due.length === 0 ? 'console.check.complete' : 'console.check.incomplete'),
      isDone: due.length === 0,
    },
    screeningCheck(frame, screening),
    ...(people.length > 0
      ? [
          {
            name: t('console.check.people'),
            value: t('console.check.of', { count: verified, total: people.length }),
            isDone: verified === people.length,
          },
          {
            name: t('console.check.shares'),
            value: percent.format(shares.total / 100),
            isDone: shares.isComplete,
          },
        ]
      : []),
  ]
}
