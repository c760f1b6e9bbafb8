/** Component: the changes that a reviewer has requested of a person, each with its status and a link. */
import type { ComponentChildren } from 'preact'
import { isPersonFile, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { labelOf } from '../../components/fields.tsx'
import { ReviewComment } from '../review-comment.tsx'
import {
  ChangeRow,
  type Changes,
  isOpenChange,
  NextChange,
  OtherDetails,
  type RequestedChange,
  SubmitRow,
} from '../revision-list.tsx'
import { commentOn, dueOf, hrefOf, type PersonVisit, pageOf, titleOf } from './visit.ts'

interface RevisionProps {
  readonly visit: PersonVisit
  readonly fixes: Changes<RequestedChange>
  /** The steps of the verification, which are folded. */
  readonly children: ComponentChildren
}

/** Lists the requested changes in one order. The last row submits the details again. */
export function Revision({ visit, fixes, children }: RevisionProps) {
  const { frame, base, identification } = visit
  const { t, vaultName } = frame
  const open = fixes.list.filter(isOpenChange)
  const [next] = open
  const [missing] = dueOf(visit)
  const locked = missing === undefined ? null : t('revision.locked', { total: fixes.total })
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
              isNext={fix === next}
              hasWords={!isShared}
            />
          ))}
          <SubmitRow frame={frame} href={`${base}/check`} locked={locked} />
        </ol>
      </section>
      <OtherDetails frame={frame} {...countOthers(visit, fixes.list)}>
        {children}
      </OtherDetails>
      <NextChange
        frame={frame}
        changes={fixes}
        href={next ? hrefOf(visit, next.path) : null}
        otherwise={
          missing === undefined
            ? { href: `${base}/check`, text: 'check.sendAgain' }
            : { href: hrefOf(visit, missing), text: 'next.go' }
        }
      />
    </>
  )
}

interface FixRowProps {
  readonly visit: PersonVisit
  readonly fix: RequestedChange
  readonly place: number
  readonly isNext: boolean
  readonly hasWords: boolean
}

function FixRow({ visit, fix: { path, state }, hasWords, ...row }: FixRowProps) {
  const { frame } = visit
  const page = pageOf(visit, path)
  return (
    <ChangeRow
      frame={frame}
      {...row}
      state={state}
      href={hrefOf(visit, path)}
      name={labelOf(frame.t, path)}
      page={page === path ? null : titleOf(frame.t, page)}
    >
      {state === 'open' && hasWords ? <span class="fix-words lines">{commentOn(visit)(path)}</span> : null}
    </ChangeRow>
  )
}

/** Counts the details and photos that need no change. */
function countOthers(visit: PersonVisit, fixes: readonly RequestedChange[]) {
  const { identification, form } = visit
  const isToFix = new Set([...dueOf(visit), ...fixes.map(({ path }) => path)])
  const rest = requiredOfApplicant(identification.profile, form).filter((path) => !isToFix.has(path))
  const documents = rest.filter((path) => isPersonFile(path, form)).length
  return { documents, details: rest.filter((path) => path !== 'consent').length - documents }
}
