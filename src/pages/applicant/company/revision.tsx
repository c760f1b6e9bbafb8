/** Component: the corrections that a reviewer has requested, each with its status and a link. */
import type { Correction } from '../../../domain/decision/decision.ts'
import { isRevision } from '../../../domain/kyb/application.ts'
import { isOfRemovedPerson, valueAt, WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { personIn } from '../../../domain/kyb/fields.ts'
import { fieldAt } from '../../../domain/kyb/form.ts'
import type { Item } from '../../../domain/kyb/progress.ts'
import { labelOf } from '../../components/fields.tsx'
import { inShort, valueText } from '../../components/values.tsx'
import { isEmpty } from '../../values/form-values.ts'
import { correctionText } from '../base/correction.ts'
import { documentHint } from '../base/documents.tsx'
import { missingText } from '../base/due.ts'
import { replyPlace } from '../base/reply.tsx'
import {
  ChangeList,
  ChangeRow,
  type Changes,
  countChanges,
  isOpenChange,
  lockedText,
  NextChange,
  type RequestedChange,
  SubmitRow,
  splitComment,
} from '../base/revision-list.tsx'
import {
  countMissing,
  failedLink,
  hrefOf,
  isAwaited,
  itemAddress,
  itemsLeft,
  nameOf,
  pageOf,
} from './sections.ts'
import type { CompanyVisit } from './visit.ts'

interface Fix extends RequestedChange {
  readonly fileId?: string | undefined
  /** The item whose details are missing, if the reviewer has not named the path. */
  readonly item?: Item
}

/**
 * Returns the corrections of the latest request for changes until the form is submitted again, or null. Items with
 * missing details follow them, such as owners who must repeat their own verification.
 */
export function fixesOf({ application }: Pick<CompanyVisit, 'application'>): Changes<Fix> | null {
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
  return countChanges([...places.values()])
}

/** Returns the label of a field or document. The label of a person's field includes the person's name. */
export function labelOfPath({ frame: { t }, application }: CompanyVisit, path: string): string {
  const [, field = path, personId, personField] = path.split('.')
  const person = personIn(application.content, personId)
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

/** Returns the title of the list of corrections, which counts those that are left. */
export function revisionTitle(visit: Pick<CompanyVisit, 'frame' | 'application'>): string | null {
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
  const next = fixes.list.find(isOpenChange)
  const { own, shared } = splitComment(application.corrections, application.review?.clientComment)
  return (
    <ChangeList frame={frame} comment={shared} decidedAt={application.review?.decidedAt}>
      {fixes.list.map((fix, place) => (
        <FixRow
          key={replyPlace(fix)}
          visit={visit}
          fix={fix}
          corrections={own}
          place={place + 1}
          isNext={fix === next}
        />
      ))}
      <SubmitRow frame={frame} href={`${base}/check`} locked={next ? lockedText(frame, fixes) : null} />
    </ChangeList>
  )
}

/** Links to the next correction, or to the check page once nothing is left. */
export function NextFix({ visit }: { visit: CompanyVisit }) {
  const fixes = fixesOf(visit)
  if (!fixes) return null
  const next = fixes.list.find(isOpenChange)
  return (
    <NextChange
      frame={visit.frame}
      changes={fixes}
      href={next ? fixAddress(visit, next) : null}
      otherwise={{ href: `${visit.base}/check`, text: 'check.sendAgain' }}
    />
  )
}

function fixAddress({ base, application }: CompanyVisit, { path, item }: Fix): string {
  if (item) return itemAddress(base, application, item)
  return path === WHOLE_APPLICATION ? `${base}/check` : hrefOf(base, application, path)
}

/** Returns the name of an open item, and what the applicant must do about it. */
export function wordsOf({ frame, application }: CompanyVisit, item: Item): { title: string; text: string } {
  const { t } = frame
  const missing = missingText(frame, countMissing(application, item.open))
  if (item.kind === 'people') return { title: t('next.people'), text: t('section.beneficiaries.text') }
  if (item.kind === 'document') {
    const field = item.path.split('.').at(-1) ?? ''
    const text = documentHint(t, item.path) ?? t('files.format')
    return { title: t('next.document', { label: labelOf(t, field) }), text }
  }
  if (item.kind === 'group') return { title: t(`group.${item.group}`), text: missing }
  const person = personIn(application.content, item.personId)
  const name = person ? nameOf(person) : ''
  if (item.needsOnlyFiles && isAwaited(application, item.personId))
    return { title: t('check.waitsFor', { name }), text: t('next.waitsFor.text') }
  const failed = failedLink(application, item.personId)
  return item.needsOnlyFiles
    ? { title: t('next.id', { name }), text: t(failed ? `owners.link.${failed}` : 'next.id.text') }
    : { title: name, text: missing }
}

interface FixRowProps {
  readonly visit: CompanyVisit
  readonly fix: Fix
  readonly corrections: readonly Correction[]
  readonly place: number
  readonly isNext: boolean
}

function FixRow({ visit, fix, corrections, ...row }: FixRowProps) {
  const { frame, application } = visit
  const { t } = frame
  const page = pageOf(application, fix.path)
  const isOpen = isOpenChange(fix)
  const same = corrections.filter((each) => replyPlace(each) === replyPlace(fix))
  const words = fix.item
    ? wordsOf(visit, fix.item)
    : { title: labelOfFinding(visit, fix), text: correctionText(frame, same, fix.path) }
  return (
    <ChangeRow
      frame={frame}
      {...row}
      state={fix.state}
      href={fixAddress(visit, fix)}
      name={isOpen ? words.title : labelOfPath(visit, fix.path)}
      page={page === null ? null : t(`section.${page}`)}
    >
      {isOpen ? (
        <span class="fix-words lines">{words.text}</span>
      ) : (
        <span class="faint small">{currentValue(visit, fix.path)}</span>
      )}
    </ChangeRow>
  )
}

/** Returns the current value at the path, or null if the path stands for more than one value. */
function currentValue({ frame, application }: CompanyVisit, path: string): string | null {
  const { form, content, files } = application
  const field = fieldAt(form, path)
  if (!field) return null
  const value = valueAt(content, path)
  return isEmpty(value) ? null : inShort(valueText({ frame, field, value, files }))
}
