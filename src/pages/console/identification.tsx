/** Page: an identification under review, with its decision form and its holds. */

import type { Request, Response } from 'express'
import { decisionOf } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { assignmentAt } from '../../domain/decision/assignment.ts'
import { proposalOf } from '../../domain/decision/confirmation.ts'
import { consolePath } from '../../domain/entity/console-path.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { Fields as FieldTable } from '../../domain/fields/field.ts'
import {
  identificationStatus,
  isFilledIn,
  isIdentificationEnded,
  moveKindOf,
  offeredMoves,
} from '../../domain/identification/identification.ts'
import { entered, PERSON_FIELDS } from '../../domain/identification/person-form.ts'
import { countryOf } from '../../domain/identification/profile.ts'
import { PERSON_PROVES } from '../../domain/kyb/proof.ts'
import { fullNameOf } from '../../domain/names/full-name.ts'
import type { IdentificationUnderReview } from '../../domain/review/review.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { newEffect } from '../../use-cases/base/effect.ts'
import { decideAboutVerification } from '../../use-cases/identification/decision.ts'
import { getIdentificationReview } from '../../use-cases/review/review.ts'
import { Icon } from '../components/icon.tsx'
import { sendPage } from '../routing/response.tsx'
import type { TextName } from '../texts/index.ts'
import { isEmpty } from '../values/form-values.ts'
import { waitText } from './age.ts'
import { CasePage } from './case-page.tsx'
import { shownIn } from './case-tabs.ts'
import { type CaseView, loadCaseView, screeningLock, screeningPanel } from './case-view.tsx'
import { Checks } from './checks.tsx'
import { decideFromForm, NOTHING_REFUSED, type Refused } from './decision.ts'
import { Duplicates } from './duplicates.tsx'
import { Fields } from './facts.tsx'
import { HoldsPart } from './holds.tsx'
import { Faces, IdentityDocument, TypedFields } from './person-compare.tsx'
import { IdentificationSummary } from './person-summary.tsx'
import { Proofs } from './proof.tsx'
import { Viewer } from './viewer.tsx'
import type { ConsoleVisit } from './visit.ts'
import { labelOf, wordOf } from './words.ts'
import { workflowRow } from './workflow.tsx'

export async function showIdentification(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'identification'>,
  res: Response,
  refused: Refused = NOTHING_REFUSED,
): Promise<void> {
  const review = await getIdentificationReview(deps, visit, byOf(visit, res.req), target)
  const { identification, photos, screening } = review
  const { assignedTo, state, waitingSince, erasedAt, review: decided } = identification
  const view = await loadCaseView({
    deps,
    visit,
    target,
    res,
    refused,
    screening,
    documents: photos.map(({ attribute, ...file }) => ({
      ...file,
      path: attribute,
      label: labelOf(visit.frame.t, attribute),
    })),
    files: photos,
    actors: [assignedTo, state.pending?.by],
    marked: {
      waitingSince,
      decidedAt: decided && new Date(decided.decidedAt * 1_000),
      isChanged: () => true,
    },
    canMark: erasedAt === null && offeredMoves(state).length > 0 && !state.pending,
  })
  sendPage(res, refused.status, <Identification {...view} review={review} />)
}

interface IdentificationProps extends CaseView {
  readonly review: IdentificationUnderReview
}

const TYPED: FieldTable = { ...PERSON_FIELDS.details, ...PERSON_FIELDS.document }

function Identification(props: IdentificationProps) {
  const { visit, review, typed, tab, documents, chosen, marks } = props
  const { frame } = visit
  const { t } = frame
  const { identification, screening } = review
  const { id, state, kind, origin, externalUuid } = identification
  const profile = entered(identification.profile)
  const isErased = identification.erasedAt !== null
  const outcomes = isErased || !props.mayDecide ? [] : offeredMoves(state)
  const { corrections = [], replies = [] } = identification.review ?? {}
  const base = consolePath('identification', id)
  const names = [...new Set([...Object.keys(TYPED), ...Object.keys(profile)])]
  const shown = names.filter((name) => name in profile || isFilledIn(identification))
  const fields = shown.map((field) => ({
    field,
    path: field,
    type: TYPED[field]?.type ?? ('text' as const),
    value: profile[field],
  }))
  const shared = { frame, marks, corrections, replies }
  const files = review.photos.map(({ attribute, ...file }) => ({
    field: attribute,
    path: attribute,
    type: 'files' as const,
    value: [file],
  }))
  const given = fields.filter(({ value }) => !isEmpty(value))
  const about = given.filter(({ field }) => !(field in PERSON_FIELDS.document))
  const withViewer = documents.length > 0
  const locked = lockOf(review)
  return (
    <CasePage
      {...props}
      base={base}
      title={fullNameOf(identification) || externalUuid}
      country={countryOf(profile)}
      vault={review.vault.name}
      riskLevel={review.riskLevel}
      status={wordOf(frame, 'console.status', identificationStatus(state))}
      waitingOn={review.waitingOn}
      waitingSince={identification.waitingSince}
      targetHours={review.targetHours}
      version={state.version}
      outcomes={outcomes}
      locked={locked}
      lockNote={locked && t(locked)}
      labelOf={(path) => labelOf(t, path)}
      pending={proposalOf(identification)}
      assignedTo={assignmentAt(identification).assignedTo}
      links={
        review.kybId ? (
          <a href={consolePath('kyb', review.kybId)}>
            <Icon name="building-2" />
            {t('console.application')}
          </a>
        ) : null
      }
      facts={[
        [t('console.filter.vault_id'), review.vault.name],
        [t('console.externalId'), externalUuid],
        [t('console.column.status'), wordOf(frame, 'console.status', identificationStatus(state))],
        [
          t('console.origin'),
          `${wordOf(frame, 'console.subject', kind)}, ${wordOf(frame, 'console.origin', origin)}`,
        ],
        [t('console.waitsFor'), waitText(frame, review.waitingOn, identification.waitingSince)],
        [
          t('console.lastDecision'),
          identification.review
            ? wordOf(frame, 'console.decided', identification.review.outcome)
            : t('console.none'),
        ],
        [t('console.version'), String(state.version)],
        ...workflowRow(frame, review.workflow),
      ]}
      log={<Checks frame={frame} checks={review.checks} />}
      panels={[
        {
          tab: 'summary',
          name: t('console.tab.summary'),
          content: (
            <>
              <IdentificationSummary frame={frame} base={base} review={review} />
              <HoldsPart
                visit={visit}
                review={review}
                canPlace={props.mayDecide && !isErased && !isIdentificationEnded(state)}
                canLift={props.mayConfirm}
                typed={typed.case}
              />
              <Duplicates frame={frame} found={review.duplicates} />
            </>
          ),
        },
        {
          tab: 'company',
          name: t('console.tab.details'),
          content: <Fields {...shared} id="profile" title={t('console.profile')} fields={fields} />,
        },
        {
          tab: 'documents',
          name: t('console.tab.photos'),
          count: documents.length,
          content: (
            <Fields {...shared} id="photos" title={t('console.tab.photos')} fields={files}>
              {review.photos.flatMap(({ attribute, warnings }) =>
                warnings.map((warning) => (
                  <p key={`${attribute} ${warning}`} class="comment">
                    {labelOf(t, attribute)}: {t(`console.warning.${warning}`)}
                  </p>
                )),
              )}
            </Fields>
          ),
        },
        screeningPanel(props, base, screening),
      ]}
    >
      <div class="case-compare" {...shownIn(tab, 'summary')}>
        <Faces marks={marks} photos={review.photos} />
        <TypedFields marks={marks} fields={withViewer ? about : given} checks={review.checks} />
      </div>
      {withViewer ? (
        <>
          <section class="pane-end" aria-labelledby="identity-title" {...shownIn(tab, 'summary')}>
            <IdentityDocument
              marks={marks}
              photos={review.photos}
              fields={given.filter(({ field }) => field in PERSON_FIELDS.document)}
              checks={review.checks}
            />
          </section>
          <div class="case-viewer" {...shownIn(tab, 'company', 'documents')}>
            <Viewer marks={marks} documents={documents} chosen={chosen} />
          </div>
          <div class="pane-end" {...shownIn(tab, 'company', 'documents')}>
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

/** Returns why the person cannot be approved, or null if they can. */
const lockOf = ({ identification, waitingOn }: IdentificationUnderReview): TextName | null => {
  if (waitingOn === 'nobody' || !offeredMoves(identification.state).includes('approved')) return null
  return screeningLock(identification)
}

export const decideIdentificationFromForm = (
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'identification'>,
  req: Request,
  res: Response,
): Promise<void> =>
  decideFromForm({
    deps,
    visit,
    target,
    schema: decideIdentificationBody,
    req,
    res,
    kindOf: moveKindOf,
    decide: (body) =>
      decideAboutVerification(
        deps,
        visit,
        target.id,
        { outcome: body.outcome, ...decisionOf(body) },
        newEffect(),
      ),
    showAgain: (refused) => showIdentification(deps, visit, target, res, refused),
  })
