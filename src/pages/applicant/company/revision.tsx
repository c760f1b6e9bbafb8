/** Component: the corrections that a reviewer has requested, each with its status and a link. */
import type { ComponentChildren } from 'preact'
import { isRevision } from '../../../domain/kyb/application.ts'
import { isOfRemovedPerson, WHOLE_APPLICATION } from '../../../domain/kyb/content.ts'
import { Chip } from '../../components/chip.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import { Icon } from '../../components/icon.tsx'
import { replyPlace } from '../reply.tsx'
import { ReviewComment } from '../review-comment.tsx'
import { hrefOf, nameOf, ownersOf, pageOf } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

export interface Fix {
  readonly path: string
  readonly fileId?: string | undefined
  readonly state: 'open' | 'replied' | 'fixed'
}

interface Fixes {
  readonly list: readonly Fix[]
  readonly done: number
  readonly total: number
}

/** Returns the corrections of the latest request for changes until the form is submitted again, or null. */
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

interface RevisionProps {
  readonly visit: CompanyVisit
  /** The main action. */
  readonly children: ComponentChildren
}

export function Revision({ visit, children }: RevisionProps) {
  const { frame, application } = visit
  const { t } = frame
  const fixes = fixesOf(visit)
  if (!fixes) return null
  const open = fixes.total - fixes.done
  return (
    <section class="banner banner-warning revision" aria-labelledby="revision-title">
      <Glyph state="warning" />
      <div class="banner-text">
        <h2 id="revision-title">
          {open > 0
            ? t('revision.title', { count: open })
            : t('progress.fixed', { done: fixes.done, total: fixes.total })}
        </h2>
        <p>{t('revision.text', { vault: frame.vaultName ?? '' })}</p>
        <ReviewComment comment={application.review?.clientComment} />
        <ul class="banner-links">
          {fixes.list.map((fix) => (
            <FixRow key={replyPlace(fix)} visit={visit} fix={fix} />
          ))}
        </ul>
        {children}
      </div>
    </section>
  )
}

function FixRow({ visit, fix }: { visit: CompanyVisit; fix: Fix }) {
  const { frame, base, application } = visit
  const { t } = frame
  const page = pageOf(application, fix.path)
  const href = fix.path === WHOLE_APPLICATION ? `${base}/check` : hrefOf(base, application, fix.path)
  return (
    <li class="fix-row">
      <span class="row-text">
        {fix.state === 'open' ? (
          <a class="row-name" href={href}>
            {labelOfFinding(visit, fix)}
          </a>
        ) : (
          <span class="row-name">{labelOfFinding(visit, fix)}</span>
        )}
        {page === null ? null : <span class="row-note">{t(`section.${page}`)}</span>}
      </span>
      {fix.state === 'open' ? (
        <Icon name="chevron-right" />
      ) : (
        <Chip tone="success" icon="check">
          {t(`revision.${fix.state}`)}
        </Chip>
      )}
    </li>
  )
}
