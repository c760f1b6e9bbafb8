/** Component: the corrections that a reviewer has requested, each with its status and a link. */
import { isRevision } from '../../../domain/kyb/application.ts'
import { isOfRemovedPerson, WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { fieldAt, personValue, valueIn } from '../../../domain/kyb/form.ts'
import type { Item } from '../../../domain/kyb/progress.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { inShort, valueText } from '../../components/values.tsx'
import type { TextName } from '../../texts/index.ts'
import { isEmpty } from '../../values/form-values.ts'
import { correctionText } from '../correction.ts'
import { documentHint } from '../documents.tsx'
import { missingText } from '../due.ts'
import { replyPlace } from '../reply.tsx'
import { ReviewComment } from '../review-comment.tsx'
import {
  countMissing,
  hrefOf,
  isAwaited,
  itemAddress,
  itemsLeft,
  nameOf,
  ownersOf,
  pageOf,
} from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export interface Fix {
  readonly path: string
  readonly fileId?: string | undefined
  readonly state: 'open' | 'replied' | 'fixed'
  /** The item whose details are missing, if the reviewer has not named the path. */
  readonly item?: Item
}

interface Fixes {
  readonly list: readonly Fix[]
  readonly done: number
  readonly total: number
}

/**
 * Returns the corrections of the latest request for changes until the form is submitted again, or null. Items with
 * missing details follow them, such as owners who must repeat their own verification.
 */
export function fixesOf({ application }: Pick<CompanyVisit, 'application'>): Fixes | null {
  const { corrections, replies, review } = application
  if (!isRevision(application)) return null
  const places = new Map<string, Fix>()
  const add = (state: Fix['state'], fixes: readonly Omit<Fix, 'state'>[]) => {
    for (const { path, fileId } of fixes) places.set(replyPlace({ path, fileId }), { path, fileId, state })
  }
  // A correction that is neither open nor disputed is complete.
  const asked = review?.outcome === 'revision_requested' ? (review.places ?? review.findings) : []
  add(
    'fixed',
    asked.filter(({ path }) => !isOfRemovedPerson(application.content, path)),
  )
  add('replied', replies)
  add('open', corrections)
  for (const item of itemsLeft(application)) {
    const [path = ''] = item.open
    places.set(replyPlace({ path }), { path, state: 'open', item })
  }
  const list = [...places.values()]
  return { list, done: list.filter(({ state }) => state !== 'open').length, total: list.length }
}

/** Returns the label of a field or document. The label of a person's field includes the person's name. */
export function labelOfPath({ frame: { t }, application }: CompanyVisit, path: string): string {
  const [, field = path, personId, personField] = path.split('.')
  const person = ownersOf(application).find(({ external_id }) => external_id === personId)
  if (!person) return labelOf(t, field)
  return personField ? `${nameOf(person)}: ${labelOf(t, personField)}` : nameOf(person)
}

export function labelOfFinding(
  visit: CompanyVisit,
  { path, fileId = '' }: { readonly path: string; readonly fileId?: string | undefined },
): string {
  const file = visit.application.files.get(fileId)
  return [labelOfPath(visit, path), file?.name].filter(Boolean).join(': ')
}

const openIn = ({ list }: Fixes): Fix[] => list.filter(({ state }) => state === 'open')

/** Returns the title of the list of corrections, which counts those that are left. */
export function revisionTitle(visit: CompanyVisit): string | null {
  const fixes = fixesOf(visit)
  if (!fixes) return null
  const { done, total } = fixes
  return done < total
    ? visit.frame.t('revision.title', { count: total - done })
    : visit.frame.t('progress.fixed', { done, total })
}

/** Lists the corrections in one order. The next one has the reviewer's words, and the last row submits the form again. */
export function Revision({ visit }: { visit: CompanyVisit }) {
  const { base, application, frame } = visit
  const fixes = fixesOf(visit)
  if (!fixes) return null
  const [next] = openIn(fixes)
  const locked =
    next && frame.t('revision.locked.company', { total: fixes.total, vault: frame.vaultName ?? '' })
  return (
    <section class="revision" aria-label={frame.t('overview.revision')}>
      {application.review?.clientComment ? (
        <div>
          <p class="row-note">{frame.t('done.comment')}</p>
          <ReviewComment comment={application.review.clientComment} />
        </div>
      ) : null}
      <ol class="card rows">
        {fixes.list.map((fix, place) => (
          <FixRow key={replyPlace(fix)} visit={visit} fix={fix} place={place + 1} isNext={fix === next} />
        ))}
        <FixedRow frame={frame} href={`${base}/check`} locked={locked} />
      </ol>
    </section>
  )
}

/** Returns the next correction, or the check page once nothing is left. */
function nextStep(visit: CompanyVisit, fixes: Fixes): { readonly href: string; readonly text: TextName } {
  const [next, ...later] = openIn(fixes)
  if (!next) return { href: `${visit.base}/check`, text: 'check.sendAgain' }
  const isLast = later.length === 0 && fixes.total > 1
  return { href: fixAddress(visit, next), text: isLast ? 'revision.last' : 'revision.next' }
}

/** Links to the next step of a revision. */
export function NextFix({ visit }: { visit: CompanyVisit }) {
  const { t } = visit.frame
  const fixes = fixesOf(visit)
  if (!fixes) return null
  const { href, text } = nextStep(visit, fixes)
  return (
    <div class="dock">
      <ButtonLink href={href} endIcon="arrow-right">
        {t(text)}
      </ButtonLink>
    </div>
  )
}

function fixAddress({ base, application }: CompanyVisit, { path, item }: Fix): string {
  if (item) return itemAddress(base, application, item)
  return path === WHOLE_APPLICATION ? `${base}/check` : hrefOf(base, application, path)
}

/** Returns the name of an open item, and what the applicant must do about it. */
export function wordsOf({ frame, application }: CompanyVisit, item: Item): { title: string; text: string } {
  const { t } = frame
  const missing = missingText(frame, [countMissing(application, item.open)])
  if (item.kind === 'people') return { title: t('next.people'), text: t('section.beneficiaries.text') }
  if (item.kind === 'document') {
    const field = item.path.split('.').at(-1) ?? ''
    const text = documentHint(t, item.path) ?? t('section.business_files.text')
    return { title: t('next.document', { label: labelOf(t, field) }), text }
  }
  if (item.kind === 'group') return { title: t(`group.${item.group}`), text: missing }
  const person = ownersOf(application).find(({ external_id }) => external_id === item.personId)
  const name = person ? nameOf(person) : ''
  if (item.needsOnlyFiles && isAwaited(application, item.personId))
    return { title: t('check.waitsFor', { name }), text: t('next.waitsFor.text') }
  return item.needsOnlyFiles
    ? { title: t('next.id', { name }), text: t('next.id.text') }
    : { title: name, text: missing }
}

interface FixRowProps {
  readonly visit: CompanyVisit
  readonly fix: Fix
  /** The number of the correction in the list. */
  readonly place: number
  readonly isNext: boolean
}

function FixRow({ visit, fix, place, isNext }: FixRowProps) {
  const { frame, application } = visit
  const { t } = frame
  const page = pageOf(application, fix.path)
  const isOpen = fix.state === 'open'
  const same = application.corrections.filter((each) => replyPlace(each) === replyPlace(fix))
  const words = fix.item
    ? wordsOf(visit, fix.item)
    : { title: labelOfFinding(visit, fix), text: correctionText(frame, same, fix.path) }
  return (
    <li class="fix-row" {...(isNext && { 'aria-current': 'step' })}>
      {isOpen ? <span class="fix-number number">{place}</span> : <Glyph state="done" />}
      <span class="row-text">
        {isOpen ? (
          <a class="row-name" href={fixAddress(visit, fix)}>
            {words.title}
          </a>
        ) : (
          <span class="row-name">{labelOfPath(visit, fix.path)}</span>
        )}
        {page === null ? null : <span class="row-note">{t(`section.${page}`)}</span>}
        {isOpen ? (
          <span class="fix-words lines">{words.text}</span>
        ) : (
          <span class="faint small">{currentValue(visit, fix.path)}</span>
        )}
      </span>
      {isOpen ? (
        <Icon name="chevron-right" />
      ) : (
        <Chip tone="success" icon="check">
          {t(`revision.${fix.state}`)}
        </Chip>
      )}
    </li>
  )
}

/** Returns the current value at the path, or null if the path stands for more than one value. */
function currentValue({ frame, application }: CompanyVisit, path: string): string | null {
  const { form, content, files } = application
  const [, , personId, name] = path.split('.')
  const field = fieldAt(form, path)
  if (!field) return null
  const person = content.beneficiaries.beneficiaries_list.find(({ external_id }) => external_id === personId)
  const value = person ? name && personValue(person, name) : valueIn(content, path)
  return isEmpty(value) ? null : inShort(valueText({ frame, field, value, files }))
}

interface FixedRowProps {
  readonly frame: Frame
  readonly href: string
  /** The reason why the step is locked, if it is. */
  readonly locked: string | undefined
}

/** Leads to the last step, which is locked until nothing is left. */
const FixedRow = ({ frame: { t }, href, locked }: FixedRowProps) => (
  <li class={locked && 'fix-locked'}>
    <Icon name="send" size={20} />
    <span class="row-text">
      {locked ? (
        <span class="row-name">{t('check.sendAgain')}</span>
      ) : (
        <a class="row-name" href={href}>
          {t('check.sendAgain')}
        </a>
      )}
      <span class="row-note">{locked ?? t('next.check.text')}</span>
    </span>
    <Icon name={locked ? 'lock' : 'chevron-right'} />
  </li>
)
