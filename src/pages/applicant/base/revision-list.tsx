/** Components: the list of the changes that a reviewer has requested, for companies and people. */
import type { ComponentChildren } from 'preact'
import type { Progress } from '../../../domain/base/progress.ts'
import type { Correction } from '../../../domain/decision/decision.ts'
import { fieldsIn } from '../../../domain/fields/condition.ts'
import type { Field, Fields } from '../../../domain/fields/field.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { Glyph, Icon } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { RowText } from '../../components/row-text.tsx'
import type { TextName } from '../../texts/index.ts'
import { CommentSource, ReviewComment } from './review-comment.tsx'

export interface RequestedChange {
  readonly path: string
  readonly state: 'open' | 'replied' | 'fixed'
}

export interface Changes<C extends RequestedChange> extends Progress {
  readonly list: readonly C[]
}

export const isOpenChange = ({ state }: RequestedChange): boolean => state === 'open'

/** Counts the changes that are complete or answered with a reply. */
export const countChanges = <C extends RequestedChange>(list: readonly C[]): Changes<C> => ({
  list,
  done: list.filter((change) => !isOpenChange(change)).length,
  total: list.length,
})

/** Returns the reason why the form cannot be submitted again yet. */
export const lockedText = ({ t, vaultName }: Frame, { total }: Progress): string =>
  t('revision.locked', { total, vault: vaultName ?? '' })

/**
 * Returns the corrections with the words for their own rows, and the comment for all rows: a comment that several
 * corrections repeat, or that none has.
 */
export function splitComment(corrections: readonly Correction[], comment: string | null | undefined) {
  const repeated = corrections.filter(({ message }) => message === comment).length
  const shared = comment && repeated !== 1 ? comment : null
  const own = corrections.map((each) => (each.message === shared ? { ...each, message: null } : each))
  return { own, shared }
}

interface ChangeRowProps {
  readonly frame: Frame
  readonly state: RequestedChange['state']
  /** The number of the change in the list. */
  readonly place: number
  readonly isNext: boolean
  readonly href: string
  readonly name: string
  /** The name of the page with the value, if it is not that of the change. */
  readonly page: string | null
  readonly children: ComponentChildren
}

export const ChangeRow = ({ frame, state, place, isNext, href, name, page, children }: ChangeRowProps) => (
  <li class="fix-row" {...(isNext && { 'aria-current': 'step' })}>
    {state === 'open' ? <span class="fix-number number">{place}</span> : <Glyph state="done" />}
    <RowText href={state === 'open' && href} name={name} note={page}>
      {children}
    </RowText>
    {state === 'open' ? (
      <Icon name="chevron-right" />
    ) : (
      <Chip tone="success" icon="check">
        {frame.t(`revision.${state}`)}
      </Chip>
    )}
  </li>
)

interface ChangeListProps {
  readonly frame: Frame
  /** The comment about all changes, which is not one of them. */
  readonly comment: string | null
  readonly decidedAt: Date | undefined
  readonly children: ComponentChildren
}

/** Shows the numbered list of the changes, after the comment about all of them. */
export const ChangeList = ({ frame, comment, decidedAt, children }: ChangeListProps) => (
  <section class="revision" aria-label={frame.t('overview.revision')}>
    {comment === null ? null : (
      <div class="card card-body">
        <ReviewComment comment={comment} />
        <CommentSource frame={frame} decidedAt={decidedAt} />
      </div>
    )}
    <ol class="card rows">{children}</ol>
  </section>
)

interface SubmitRowProps {
  readonly frame: Frame
  readonly href: string
  /** The reason why the step is locked, or null if it is not. */
  readonly locked: string | null
}

/** Leads to the last step, which is locked until nothing is left. */
export const SubmitRow = ({ frame: { t }, href, locked }: SubmitRowProps) => (
  <li class={locked === null ? undefined : 'fix-locked'}>
    <Icon name="send" size={20} />
    <RowText
      href={locked === null && href}
      name={t('check.sendAgain')}
      note={locked ?? t('next.check.text')}
    />
    <Icon name={locked === null ? 'chevron-right' : 'lock'} />
  </li>
)

interface FoldedRestProps {
  readonly name: string
  readonly note?: string
  readonly children: ComponentChildren
}

const FoldedRest = ({ name, note, children }: FoldedRestProps) => (
  <details class="card rows others">
    <summary>
      <Icon name="circle-check" size={20} />
      <RowText name={name} note={note} />
      <Icon name="chevron-down" />
    </summary>
    {children}
  </details>
)

interface SplitFields {
  readonly fields: Fields
  readonly prefix?: string
  readonly corrected: readonly string[]
  /** The paths that need an answer. */
  readonly due: readonly string[]
  readonly problems: readonly FieldProblem[]
}

/**
 * Splits the fields of a page with requested changes: those that need an answer, which the page shows with the questions
 * that they raise, and the rest, which it folds. Returns null if the page has no requested change.
 */
export function splitFields({ fields, prefix = '', corrected, due, problems }: SplitFields) {
  if (!Object.keys(fields).some((name) => corrected.includes(prefix + name))) return null
  const wanted = [...corrected, ...due, ...problems.map(({ field }) => field)]
  const isWanted = (name: string) => wanted.includes(prefix + name)
  const isOpen = ([name, { asked }]: [string, Field]) =>
    isWanted(name) || (asked !== undefined && fieldsIn(asked).some(isWanted))
  const entries = Object.entries(fields)
  return {
    open: Object.fromEntries(entries.filter(isOpen)) as Fields,
    rest: Object.fromEntries(entries.filter((entry) => !isOpen(entry))) as Fields,
  }
}

/** Folds the fields that need no change. The form saves them as well. */
export const RestOfForm = ({ frame: { t }, children }: { frame: Frame; children: ComponentChildren }) => (
  <FoldedRest name={t('revision.others')} note={t('revision.others.text')}>
    {children}
  </FoldedRest>
)

interface OtherDetailsProps {
  readonly frame: Frame
  readonly details: number
  /** The documents of a company, or the photos of a person. */
  readonly documents?: number
  readonly photos?: number
  readonly children: ComponentChildren
}

/** Folds the other parts of the form, with the number of complete details. */
export const OtherDetails = ({
  frame: { t },
  details,
  documents = 0,
  photos = 0,
  children,
}: OtherDetailsProps) => (
  <FoldedRest name={t('revision.accepted', { details, documents, photos })}>
    <ul class="rows">{children}</ul>
  </FoldedRest>
)

interface NextChangeProps {
  readonly frame: Frame
  readonly changes: Progress
  /** The address of the next change, or null if none is left. */
  readonly href: string | null
  /** The next step after the last change. */
  readonly otherwise: { readonly href: string; readonly text: TextName }
}

export function NextChange({ frame: { t }, changes: { done, total }, href, otherwise }: NextChangeProps) {
  const text = total > 1 && done === total - 1 ? 'revision.last' : 'revision.next'
  return (
    <div class="dock">
      <ButtonLink href={href ?? otherwise.href} endIcon="arrow-right">
        {t(href === null ? otherwise.text : text)}
      </ButtonLink>
    </div>
  )
}
