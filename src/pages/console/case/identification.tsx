/** Page: an identification under review, with its decision form and its holds. */
import type { Response } from 'express'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import { isAsked } from '../../../domain/fields/field.ts'
import {
  isFilledIn,
  isIdentificationEnded,
  offeredMoves,
} from '../../../domain/identification/identification.ts'
import {
  decodeValue,
  entered,
  factsOfApplicant,
  formOf,
  typedOf,
} from '../../../domain/identification/person-form.ts'
import { countryOf } from '../../../domain/identification/profile.ts'
import { PERSON_PROVES } from '../../../domain/kyb/proof.ts'
import { fullNameOf } from '../../../domain/names/full-name.ts'
import type { IdentificationUnderReview } from '../../../domain/review/review.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { getIdentificationReview } from '../../../use-cases/review/review.ts'
import { Icon } from '../../components/icon.tsx'
import { sendPage } from '../../routing/response.tsx'
import { type TextName, withApplicantTexts } from '../../texts/index.ts'
import { isEmpty } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { labelOf, nameOrId, wordOf } from '../base/words.ts'
import { Checks } from './checks.tsx'
import { NOTHING_REFUSED, type Refused } from './decision.ts'
import { acceptableIn, Fields } from './facts.tsx'
import { HoldsPart } from './holds.tsx'
import { AcceptFoot } from './marks.tsx'
import { CasePage } from './page.tsx'
import { Faces, IdentityDocument, sameness, TypedFields } from './person-compare.tsx'
import { IdentificationSummary } from './person-summary.tsx'
import { ProfileMove } from './profile-change.tsx'
import { Proofs } from './proof.tsx'
import { screeningPanel } from './screening.tsx'
import { shownIn, tabPath } from './tabs.ts'
import { type CaseView, loadCaseView, screeningLock } from './view.tsx'
import { Viewer } from './viewer.tsx'

export async function showIdentification(
  deps: RouteDeps,
  by: ConsoleVisit,
  target: EntityRef<'identification'>,
  res: Response,
  refused: Refused = NOTHING_REFUSED,
): Promise<void> {
  const review = await getIdentificationReview(deps, by, byOf(by, res.req), target)
  const visit = { ...by, frame: withApplicantTexts(by.frame, formOf(review.identification)) }
  const { identification, photos } = review
  const { kind, origin } = identification
  const { t } = visit.frame
  const view = await loadCaseView({
    deps,
    visit,
    target,
    res,
    refused,
    review,
    record: identification,
    externalId: identification.externalUuid,
    origin: [
      t('console.origin'),
      `${wordOf(visit.frame, 'console.subject', kind)}, ${wordOf(visit.frame, 'console.origin', origin)}`,
    ],
    documents: photos.map(({ attribute, ...file }) => ({
      ...file,
      path: attribute,
      label: labelOf(t, attribute),
    })),
    files: photos,
  })
  sendPage(res, refused.status, <Identification {...view} review={review} />)
}

interface IdentificationProps extends CaseView {
  readonly review: IdentificationUnderReview
}

function Identification(props: IdentificationProps) {
  const { visit, review, typed, tab, documents, chosen, marks } = props
  const { frame } = visit
  const { t } = frame
  const { identification, screening } = review
  const form = formOf(identification)
  const typedFields = typedOf(form)
  const { state, externalUuid } = identification
  const profile = entered(identification.profile, form)
  const isErased = identification.erasedAt !== null
  const { corrections = [], replies = [] } = identification.review ?? {}
  const names = [...new Set([...Object.keys(typedFields), ...Object.keys(profile)])]
  const shown = names.filter((name) => name in profile || isFilledIn(identification))
  const facts = factsOfApplicant(identification.profile, form)
  const fields = shown.map((field) => {
    const typed = typedFields[field]
    return {
      field,
      path: field,
      type: typed?.type ?? ('text' as const),
      value: decodeValue(typed, profile[field]),
      isUnasked: typed !== undefined && !isAsked(typed, facts),
    }
  })
  const shared = { frame, marks, corrections, replies }
  const files = review.photos.map(({ attribute, ...file }) => ({
    field: attribute,
    path: attribute,
    type: 'files' as const,
    value: [file],
  }))
  const given = fields.filter(({ value }) => !isEmpty(value))
  const personal = given.filter(({ field }) => !(field in form.document))
  const withViewer = documents.length > 0
  const same = sameness(marks, review.photos)
  const locked = lockOf(review) ?? SAME_LOCKS[same ?? 'yes']
  return (
    <CasePage
      {...props}
      title={nameOrId(fullNameOf(identification), externalUuid)}
      country={countryOf(profile)}
      locked={locked}
      lockNote={
        locked && (locked === SAME_LOCKS.open || locked === SAME_LOCKS.no) ? (
          <a href={`${tabPath(props.base, 'summary')}#compare-selfie`}>{t(locked)}</a>
        ) : (
          locked && t(locked)
        )
      }
      labelOf={(path) => labelOf(t, path)}
      links={
        <>
          {review.kybId ? (
            <a href={consolePath('kyb', review.kybId)}>
              <Icon name="building-2" />
              {t('console.application')}
            </a>
          ) : null}
          <ProfileMove {...props} later={identification.later} />
        </>
      }
      log={<Checks frame={frame} checks={review.checks} />}
      panels={[
        {
          tab: 'summary',
          name: t('console.tab.summary'),
          content: (
            <>
              <IdentificationSummary
                frame={frame}
                base={props.base}
                review={review}
                isOptional={same === 'open' || review.holds.some(({ liftedAt }) => liftedAt === null)}
              />
              <HoldsPart
                visit={visit}
                review={review}
                canPlace={props.mayDecide && !isErased && !isIdentificationEnded(state)}
                canLift={props.mayConfirm}
                typed={typed.case}
              />
            </>
          ),
        },
        {
          tab: 'company',
          name: t('console.tab.details'),
          content: (
            <>
              <Fields {...shared} id="profile" title={t('console.profile')} fields={fields} />
              {withViewer ? null : (
                <AcceptFoot marks={marks} id="profile-rest" keys={acceptableIn(marks, fields)} />
              )}
            </>
          ),
        },
        {
          tab: 'documents',
          name: t('console.tab.photos'),
          count: documents.length,
          content: <Fields {...shared} id="photos" title={t('console.photos')} fields={files} />,
        },
        screeningPanel(props, screening),
      ]}
    >
      <div class="case-compare" {...shownIn(tab, 'summary')}>
        <Faces marks={marks} photos={review.photos} />
        <TypedFields
          marks={marks}
          fields={withViewer ? personal : given}
          checks={review.checks}
          givenName={review.givenName}
        />
      </div>
      {withViewer ? (
        <>
          <section class="pane-end screen-only" aria-labelledby="identity-title" {...shownIn(tab, 'summary')}>
            <IdentityDocument
              marks={marks}
              photos={review.photos}
              fields={given.filter(({ field }) => field in form.document)}
              checks={review.checks}
            />
          </section>
          <div class="case-viewer" {...shownIn(tab, 'company', 'documents')}>
            <Viewer marks={marks} documents={documents} chosen={chosen} />
          </div>
          <div class="pane-end screen-only" {...shownIn(tab, 'company', 'documents')}>
            <Proofs
              {...shared}
              documents={documents}
              chosen={chosen}
              provenBy={(path) =>
                given.filter(({ field }) => PERSON_PROVES[path]?.includes(field)).map((field) => ({ field }))
              }
            />
          </div>
        </>
      ) : null}
    </CasePage>
  )
}

/** The locks by the answer to whether the photos show the same person. */
const SAME_LOCKS = { open: 'console.locked.same', no: 'console.locked.other', yes: null } as const

/** Returns why the person cannot be approved, or null if they can. */
const lockOf = ({ identification, waitingOn }: IdentificationUnderReview): TextName | null => {
  if (waitingOn === 'nobody' || !offeredMoves(identification.state).includes('approved')) return null
  return screeningLock(identification)
}
