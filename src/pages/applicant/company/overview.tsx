/** Page: the sections of the company form with their statuses, and the next item. */
import type { ComponentChildren } from 'preact'
import { isRevision } from '../../../domain/kyb/application.ts'
import { personIn } from '../../../domain/kyb/fields.ts'
import {
  countDetails,
  countDocumentItems,
  type Item,
  isDone,
  itemsOf,
  nextItem,
} from '../../../domain/kyb/progress.ts'
import { ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { PrivateNote } from '../../components/private-note.tsx'
import { RowText } from '../../components/row-text.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { LOCALES } from '../../texts/index.ts'
import { documentHint, documentIcon } from '../base/documents.tsx'
import { missingText } from '../base/due.ts'
import { OtherDetails } from '../base/revision-list.tsx'
import { CompanyPage, progressOn } from './page.tsx'
import { NextFix, Revision, revisionTitle, wordsOf } from './revision.tsx'
import {
  companyName,
  countMissing,
  isAwaited,
  itemAddress,
  nameOf,
  ownersOf,
  SECTION_PAGES,
  type SectionPage,
} from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export function Overview({ visit }: { visit: CompanyVisit }) {
  const { t, vaultName } = visit.frame
  // The preview of a request for changes shows the content, which contains this sentence for a revision.
  const lead =
    isRevision(visit.application) || visit.application.submittedAt !== null
      ? null
      : `${t('overview.text', { vault: vaultName ?? '' })} ${t('leave.anytime')}`
  return (
    <CompanyPage visit={visit} title={overviewTitle(visit)} lead={lead} current="overview">
      <OverviewContent visit={visit} />
    </CompanyPage>
  )
}

export function overviewTitle(visit: CompanyVisit): string {
  const { t } = visit.frame
  const company = companyName(visit.application)
  return revisionTitle(visit) ?? (company === null ? t('overview.title') : t('overview.titleOf', { company }))
}

export function OverviewContent({ visit }: { visit: CompanyVisit }) {
  const { application, frame } = visit
  const { t, vaultName } = frame
  const items = itemsOf(application)
  const sections = SECTION_PAGES.map((page) => (
    <SectionRow key={page} visit={visit} page={page} items={items} />
  ))
  if (isRevision(application))
    return (
      <>
        <p class="lead">{t('revision.text', { vault: vaultName ?? '' })}</p>
        <Revision visit={visit} />
        <OtherDetails frame={frame} {...countComplete(items)}>
          {sections}
        </OtherDetails>
        <NextFix visit={visit} />
      </>
    )
  return (
    <>
      <Next visit={visit} item={nextItem(items)} />
      <ul class="card rows">
        {sections}
        <CheckRow visit={visit} />
      </ul>
      <AtHand visit={visit} items={items.filter((item) => !isDone(item))} />
      <PrivateNote frame={frame} />
    </>
  )
}

function countComplete(items: readonly Item[]) {
  const complete = items.filter(isDone)
  const documents = countDocumentItems(complete).done
  return { documents, details: countDetails(complete).done - documents }
}

function Next({ visit, item }: { visit: CompanyVisit; item: Item | null }) {
  const { frame, base, application } = visit
  const { t } = frame
  if (application.submittedAt !== null)
    return (
      <NextCard
        label={null}
        title={t('overview.submitted')}
        href={`${base}/done`}
        action={t('overview.progressLink')}
      />
    )
  if (item === null)
    return (
      <NextCard
        label={t('next')}
        title={t('next.check')}
        text={t('next.check.text')}
        href={`${base}/check`}
        action={t('overview.check')}
      />
    )
  return (
    <NextCard
      label={t('next')}
      {...wordsOf(visit, item)}
      href={itemAddress(base, visit.application, item)}
      action={t('next.go')}
    />
  )
}

interface NextCardProps {
  readonly label: string | null
  readonly title: string
  readonly text?: string | undefined
  readonly href: string
  readonly action: ComponentChildren
}

const NextCard = ({ label, title, text, href, action }: NextCardProps) => (
  <section class="card card-accent next" aria-labelledby="next-title">
    <div class="next-text">
      {label === null ? null : <p class="next-label small">{label}</p>}
      <h2 id="next-title">{title}</h2>
      {text ? <p class="row-note">{text}</p> : null}
    </div>
    <ButtonLink href={href} endIcon="arrow-right">
      {action}
    </ButtonLink>
  </section>
)

export const SECTION_ICONS = {
  nature_of_business: 'building-2',
  usage_of_account: 'wallet',
  beneficiaries: 'users',
  business_files: 'file-text',
} as const satisfies Record<SectionPage, IconName>

interface SectionRowProps {
  readonly visit: CompanyVisit
  readonly page: SectionPage
  readonly items: readonly Item[]
}

function SectionRow({ visit, page, items }: SectionRowProps) {
  const { t } = visit.frame
  const { done, total, toFix, state } = progressOn(visit, items, page)
  // During a revision, rows omit everything that is complete.
  const isRevised = isRevision(visit.application)
  const status =
    state === 'warning'
      ? t('task.toFix', { count: toFix })
      : state === 'done'
        ? t('task.done')
        : t(state === 'todo' ? 'task.todo' : 'task.left', { left: total - done })
  return (
    <TaskRow
      href={`${visit.base}/${page}`}
      icon={SECTION_ICONS[page]}
      name={t(`section.${page}`)}
      note={isRevised ? null : noteOf(visit, page, items)}
      {...(!(isRevised && state === 'done') && {
        state,
        share: total === 0 ? 0 : done / total,
        status,
      })}
    />
  )
}

function noteOf({ frame, application }: CompanyVisit, page: SectionPage, items: readonly Item[]): string {
  const { t } = frame
  const own = items.filter((item) => item.section === page)
  if (page === 'business_files') {
    const { done, total } = countDocumentItems(own)
    return t('overview.documents', { added: done, needed: total - done })
  }
  if (page !== 'beneficiaries') return t(`section.${page}.note`)
  const finished = own.flatMap((item) => (item.kind === 'person' && isDone(item) ? item.personId : []))
  const names = ownersOf(application)
    .filter(({ external_id }) => finished.includes(external_id))
    .map(nameOf)
  if (names.length === 0 || names.length > MAX_NAMES) return t('section.beneficiaries.note')
  return t('overview.people', { names: listText(frame, names), count: names.length })
}

const MAX_NAMES = 3

const listText = ({ language }: Frame, names: readonly string[]): string =>
  new Intl.ListFormat(LOCALES[language], { type: 'conjunction' }).format(names)

type Form = Pick<CompanyVisit, 'frame' | 'application'>

const leftText = ({ frame, application }: Form): string =>
  application.currentlyDue.length === 0
    ? frame.t('next.check.text')
    : missingText(frame, countMissing(application, application.currentlyDue))

export interface Standing {
  readonly name: string
  readonly note: string | null
  /** Whether the company's documents are still due. */
  readonly needsDocuments: boolean
}

/** Returns the remaining work for the page of the link, or null before the first entry. */
export function standingOf(form: Form): Standing | null {
  const { frame, application } = form
  const without = { note: null, needsDocuments: false }
  if (application.state.status !== 'open' || application.submittedAt !== null)
    return { name: frame.t('overview.progressLink'), ...without }
  const revision = revisionTitle(form)
  if (revision !== null) return { name: revision, ...without }
  const { done, total } = countDetails(itemsOf(application))
  if (done === 0) return null
  const needsDocuments = countMissing(application, application.currentlyDue).documents > 0
  return { name: frame.t('progress.done', { done, total }), note: leftText(form), needsDocuments }
}

function CheckRow({ visit }: { visit: CompanyVisit }) {
  const { base, frame, application } = visit
  const { t } = frame
  const isSubmitted = application.submittedAt !== null
  const note = isSubmitted ? t('done.sent.change') : leftText(visit)
  return (
    <TaskRow
      href={`${base}/${isSubmitted ? 'done' : 'check'}`}
      icon="send"
      name={t(isSubmitted ? 'overview.progressLink' : 'overview.check')}
      note={note}
      shortNote={isSubmitted ? undefined : note}
      state={isSubmitted ? 'done' : 'todo'}
      status={t(isSubmitted ? 'task.done' : 'task.todo')}
    />
  )
}

interface AtHandEntry {
  readonly href: string
  readonly icon: IconName
  readonly text: string
  readonly hint?: string | undefined
}

/** Lists the documents that the applicant still has to find, each with a link to its place. */
function AtHand({ visit, items }: { visit: CompanyVisit; items: readonly Item[] }) {
  const { t } = visit.frame
  const entries = items.flatMap((item): AtHandEntry[] => {
    const href = itemAddress(visit.base, visit.application, item)
    if (item.kind === 'document') {
      const field = item.path.split('.').at(-1) ?? ''
      return [{ href, icon: documentIcon(field), text: labelOf(t, field), hint: documentHint(t, field) }]
    }
    if (item.kind !== 'person' || !item.open.some((path) => path.endsWith('.beneficiary_identification')))
      return []
    // The person proves their identity with their own link.
    if (isAwaited(visit.application, item.personId)) return []
    const person = personIn(visit.application.content, item.personId)
    return person ? [{ href, icon: 'id-card', text: t('overview.idOf', { name: nameOf(person) }) }] : []
  })
  if (entries.length === 0) return null
  return (
    <section class="at-hand" aria-labelledby="at-hand-title">
      <h2 id="at-hand-title">{t('overview.atHand')}</h2>
      <ul class="list">
        {entries.map(({ href, icon, text, hint }) => (
          <li key={href}>
            <Icon name={icon} size={20} />
            <RowText href={href} name={text} note={hint} />
          </li>
        ))}
      </ul>
    </section>
  )
}
