/** Component: the changes that a reviewer has requested of a person, each with its status and a link. */
import type { ComponentChildren } from 'preact'
import { isPersonFile, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { labelOf } from '../../components/fields.tsx'
import { correctionText } from '../base/correction.ts'
import {
  ChangeList,
  ChangeRow,
  type Changes,
  isOpenChange,
  lockedText,
  NextChange,
  OtherDetails,
  type RequestedChange,
  SubmitRow,
  splitComment,
} from '../base/revision-list.tsx'
import { correctionsOf, dueOf, hrefOf, type PersonVisit, pageOf, requestedAt, titleOf } from './visit.ts'

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
  const { own, shared } = splitComment(correctionsOf(visit), identification.review?.clientComment)
  return (
    <>
      <p class="lead">{t('revision.text', { vault: vaultName ?? '' })}</p>
      <ChangeList frame={frame} comment={shared} decidedAt={requestedAt(visit)}>
        {fixes.list.map((fix, place) => (
          <FixRow
            key={fix.path}
            visit={visit}
            fix={fix}
            place={place + 1}
            isNext={fix === next}
            words={correctionText(frame, own, fix.path)}
          />
        ))}
        <SubmitRow
          frame={frame}
          href={`${base}/check`}
          locked={missing === undefined ? null : lockedText(frame, fixes)}
        />
      </ChangeList>
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
  readonly words: string | null
}

function FixRow({ visit, fix: { path, state }, words, ...row }: FixRowProps) {
  const { frame } = visit
  const page = pageOf(visit, path)
  return (
    <ChangeRow
      frame={frame}
      {...row}
      state={state}
      href={hrefOf(visit, path)}
      name={labelOf(frame.t, path)}
      page={page === path ? null : titleOf(visit, page)}
    >
      {state === 'open' && words !== null ? <span class="fix-words lines">{words}</span> : null}
    </ChangeRow>
  )
}

function countOthers(visit: PersonVisit, fixes: readonly RequestedChange[]) {
  const { identification, form } = visit
  const isToFix = new Set([...dueOf(visit), ...fixes.map(({ path }) => path)])
  const rest = requiredOfApplicant(identification.profile, form).filter((path) => !isToFix.has(path))
  const photos = rest.filter((path) => isPersonFile(path, form)).length
  return { photos, details: rest.filter((path) => path !== 'consent').length - photos }
}
