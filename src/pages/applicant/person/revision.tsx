/** Component: the changes that a reviewer has requested of a person, each with its status and a link. */
import type { ComponentChildren } from 'preact'
import { isPersonFile, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import { Icon } from '../../components/icon.tsx'
import { ReviewComment } from '../review-comment.tsx'
import { commentOn, dueOf, type Fix, type Fixes, hrefOf, type PersonVisit, pageOf, titleOf } from './visit.ts'

interface RevisionProps {
  readonly visit: PersonVisit
  readonly fixes: Fixes
  /** The steps of the verification, which are folded. */
  readonly children: ComponentChildren
}

/** Lists the requested changes in one order. The last row submits the details again. */
export function Revision({ visit, fixes, children }: RevisionProps) {
  const { frame, identification } = visit
  const { t, vaultName } = frame
  const open = fixes.list.filter(({ state }) => state === 'open')
  const words = open.map(({ path }) => commentOn(visit)(path))
  const comment = identification.review?.clientComment
  // Shows words once if they are about all changes.
  const isShared = words.length > 1 && new Set(words).size === 1
  const isQuoted = words.some((each) => comment && each?.includes(comment))
  return (
    <>
      <p class="lead">{t('revision.text', { vault: vaultName ?? '' })}</p>
      <section class="revision" aria-label={t('overview.revision')}>
        {isShared || (comment && !isQuoted) ? (
          <div>
            <p class="row-note">{t('done.comment')}</p>
            {isShared ? <p class="lines">{words[0]}</p> : <ReviewComment comment={comment} />}
          </div>
        ) : null}
        <ol class="card rows">
          {fixes.list.map((fix, place) => (
            <FixRow
              key={fix.path}
              visit={visit}
              fix={fix}
              place={place + 1}
              isNext={fix === open[0]}
              hasWords={!isShared}
            />
          ))}
          <SubmitRow visit={visit} total={fixes.total} />
        </ol>
      </section>
      <OtherSteps visit={visit} fixes={fixes}>
        {children}
      </OtherSteps>
      <NextFix visit={visit} fixes={fixes} next={open[0]} />
    </>
  )
}

interface FixRowProps {
  readonly visit: PersonVisit
  readonly fix: Fix
  /** The number of the change in the list. */
  readonly place: number
  readonly isNext: boolean
  readonly hasWords: boolean
}

function FixRow({ visit, fix: { path, state }, place, isNext, hasWords }: FixRowProps) {
  const { t } = visit.frame
  const isOpen = state === 'open'
  const page = pageOf(visit, path)
  const label = labelOf(t, path)
  return (
    <li class="fix-row" {...(isNext && { 'aria-current': 'step' })}>
      {isOpen ? <span class="fix-number number">{place}</span> : <Glyph state="done" />}
      <span class="row-text">
        {isOpen ? (
          <a class="row-name" href={hrefOf(visit, path)}>
            {label}
          </a>
        ) : (
          <span class="row-name">{label}</span>
        )}
        {page === path ? null : <span class="row-note">{titleOf(t, page)}</span>}
        {isOpen && hasWords ? <span class="fix-words lines">{commentOn(visit)(path)}</span> : null}
      </span>
      {isOpen ? (
        <Icon name="chevron-right" />
      ) : (
        <Chip tone="success" icon="check">
          {t(`revision.${state}`)}
        </Chip>
      )}
    </li>
  )
}

/** Leads to the submission, which is locked until nothing is left. */
function SubmitRow({ visit, total }: { visit: PersonVisit; total: number }) {
  const { t } = visit.frame
  const isLocked = dueOf(visit).length > 0
  return (
    <li class={isLocked ? 'fix-locked' : undefined}>
      <Icon name="send" size={20} />
      <span class="row-text">
        {isLocked ? (
          <span class="row-name">{t('check.sendAgain')}</span>
        ) : (
          <a class="row-name" href={`${visit.base}/check`}>
            {t('check.sendAgain')}
          </a>
        )}
        <span class="row-note">{t(isLocked ? 'revision.locked' : 'next.check.text', { total })}</span>
      </span>
      <Icon name={isLocked ? 'lock' : 'chevron-right'} />
    </li>
  )
}

/** Folds the steps, and counts the details and photos that need no change. */
function OtherSteps({ visit, fixes, children }: RevisionProps) {
  const { frame, identification, form } = visit
  const { t } = frame
  const isToFix = new Set([...dueOf(visit), ...fixes.list.map(({ path }) => path)])
  const rest = requiredOfApplicant(identification.profile, form).filter((path) => !isToFix.has(path))
  const documents = rest.filter((path) => isPersonFile(path, form)).length
  const details = rest.filter((path) => path !== 'consent').length - documents
  return (
    <details class="card rows others">
      <summary>
        <Icon name="circle-check" size={20} />
        <span class="row-name">{t('revision.accepted', { details, documents })}</span>
        <Icon name="chevron-down" />
      </summary>
      <ul class="rows">{children}</ul>
    </details>
  )
}

interface NextFixProps extends Omit<RevisionProps, 'children'> {
  readonly next: Fix | undefined
}

/** Links to the next change, then to missing details, or to the check page once nothing is left. */
function NextFix({ visit, fixes: { done, total }, next }: NextFixProps) {
  const { t } = visit.frame
  const [path = null] = next ? [next.path] : dueOf(visit)
  const isLast = total > 1 && done === total - 1
  return (
    <div class="dock">
      <ButtonLink href={path === null ? `${visit.base}/check` : hrefOf(visit, path)} endIcon="arrow-right">
        {t(
          path === null
            ? 'check.sendAgain'
            : next === undefined
              ? 'next.go'
              : isLast
                ? 'revision.last'
                : 'revision.next',
        )}
      </ButtonLink>
    </div>
  )
}
