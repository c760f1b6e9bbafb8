/** Component: the summary of an application, with open points, checks and owners. */
import { consolePath } from '../../../domain/entity/console-path.ts'
import { kybWaitingOn } from '../../../domain/kyb/application.ts'
import type { Change } from '../../../domain/kyb/changes.ts'
import { personIn, SECTIONS } from '../../../domain/kyb/fields.ts'
import { fieldsIn } from '../../../domain/kyb/form.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import type { Due } from '../../../domain/kyb/requirements.ts'
import { sharesOf } from '../../../domain/kyb/shares.ts'
import type { KybUnderReview } from '../../../domain/review/review.ts'
import { markKey } from '../../../domain/review/review-mark.ts'
import { becauseText, dueText, isPlain } from '../../applicant/base/due.ts'
import { countMissing } from '../../applicant/company/sections.ts'
import type { GlyphState } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { labelOf, wordOf } from '../base/words.ts'
import { type Check, Checked, Names, type Need, Needs, Waiting } from './needs.tsx'
import { isOfPerson, Owners, titleOf, titleOfRemoved, verificationOf } from './people.tsx'
import {
  duplicatesNeed,
  filesNeed,
  keptNeed,
  repliesNeed,
  risksNeed,
  screeningCheck,
  screeningNeeds,
} from './shared-needs.tsx'
import { tabPath } from './tabs.ts'
import type { CaseDocument } from './viewer.tsx'

interface SummaryProps {
  readonly frame: Frame
  readonly base: string
  readonly review: KybUnderReview
  readonly documents: readonly CaseDocument[]
  readonly labelOfPath: (path: string) => string
}

export function ApplicationSummary(props: SummaryProps) {
  const { frame, review } = props
  const { due } = review
  const { state } = review.application
  const isPending = state.pending !== null
  // A proposal waits on an operator, but the missing details still wait on the client.
  const isWaiting = due.length > 0 && kybWaitingOn({ ...state, pending: null }) === 'client'
  const missing = dueNeed(props, isWaiting ? 'todo' : 'warning')
  return (
    <>
      <div class="summary-stack">
        <Needs
          frame={frame}
          needs={needsOf(props, isWaiting ? [] : missing)}
          isOptional={isWaiting || isPending}
          isPending={isPending}
        />
        {isWaiting ? <Waiting frame={frame} needs={missing} /> : null}
      </div>
      <div class="summary-stack">
        <Checked frame={frame} checks={checksOf(props)} />
        <Owners frame={frame} review={review} />
      </div>
    </>
  )
}

/** The maximum number of missing details that the summary lists at first. */
const MAX_DUE_OPEN = 8

function needsOf(
  { frame, base, review, documents, labelOfPath }: SummaryProps,
  missing: readonly Need[],
): Need[] {
  const { t } = frame
  const { application, changes, screening } = review
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
  needs.push(
    ...missing,
    ...filesNeed(frame, base, documents),
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

const dueNeed = ({ frame, base, review }: DueListProps, state: GlyphState): Need[] =>
  review.due.length === 0
    ? []
    : [
        {
          key: 'due',
          state,
          title: dueTitle(frame, review),
          isOpen: review.due.length <= MAX_DUE_OPEN && review.application.state.pending === null,
          more: <DueList {...{ frame, base, review }} />,
        },
      ]

export function dueTitle({ t }: Frame, { application, due }: KybUnderReview): string {
  const paths = due.map(({ path }) => path)
  const { answers } = countMissing(application, paths)
  const kind = answers === 0 ? 'documents' : answers === paths.length ? 'details' : 'both'
  return t(`console.due.${kind}`, { count: paths.length })
}

interface DueListProps {
  readonly frame: Frame
  readonly base: string
  readonly review: KybUnderReview
}

/** Lists the missing details as links, in one group for the documents, one for each section and one for each person. */
function DueList({ frame, base, review: { application, due } }: DueListProps) {
  const places = due.map((each) => ({ ...each, ...placeOf(frame, application, each.path) }))
  const groups = [...new Map(places.map(({ group, title }) => [group, title]))]
  return (
    <dl class="due">
      {groups.map(([group, title]) => (
        <div key={group}>
          <dt class="row-name">{title}</dt>
          <dd>
            <ul class="list">
              {places
                .filter((each) => each.group === group)
                .map((each) => (
                  <DueLink key={each.path} frame={frame} base={tabPath(base, each.tab)} due={each} />
                ))}
            </ul>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function DueLink({ frame, base, due }: { readonly frame: Frame; readonly base: string; readonly due: Due }) {
  const place = encodeURIComponent(`field-${markKey({ path: due.path, fileId: null })}`)
  const note = isPlain(due.reason) ? becauseText(frame, due) : dueText(frame, due)
  return (
    <li>
      <a href={`${base}#${place}`}>{labelOf(frame.t, due.path.split('.').at(-1) ?? '')}</a>
      {note ? <p class="row-note">{note}</p> : null}
    </li>
  )
}

function placeOf({ t }: Frame, application: KybApplication, path: string) {
  const [, , personId] = path.split('.')
  const person = personIn(application.content, personId)
  if (person) return { tab: 'owners', group: person.external_id, title: titleOf(person) } as const
  const group = SECTIONS.find((section) => path in fieldsIn(application.form, section)) ?? 'beneficiaries'
  if (group === 'business_files' || fieldsIn(application.form, group)[path]?.type === 'files')
    return { tab: 'documents', group: 'documents', title: t('console.companyDocuments') } as const
  if (group === 'nature_of_business' || group === 'usage_of_account')
    return { tab: 'company', group, title: t(`section.${group}`) } as const
  return { tab: 'owners', group: 'beneficiaries', title: t('section.beneficiaries') } as const
}

const labelOfChange = (
  frame: Frame,
  { path, before, after }: Change,
  labelOfPath: (path: string) => string,
): string => (isOfPerson(path) ? titleOfRemoved(frame, (after ?? before) as object) : labelOfPath(path))

function checksOf({ frame, frame: { t, language }, review }: SummaryProps): Check[] {
  const { application, due, screening } = review
  const people = application.content.beneficiaries.beneficiaries_list
  const verified = people.filter((person) => verificationOf(review, person) === 'approved').length
  const shares = sharesOf(people)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
  return [
    // The list of missing details states the opposite.
    ...(due.length === 0
      ? [{ name: t('console.check.due'), value: t('console.check.complete'), isDone: true }]
      : []),
    screeningCheck(frame, screening),
    ...(people.length > 0
      ? [
          {
            name: t('console.check.people'),
            value: t('console.check.of', { count: verified, total: people.length }),
            isDone: verified === people.length,
            ...(due.length === 0 &&
              review.waitingOn === 'operator' &&
              verified < people.length && { note: t('console.check.people.optional') }),
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
