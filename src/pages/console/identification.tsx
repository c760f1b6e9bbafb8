/** Page: an identification under review, with its decision form and its holds. */
import type { Request, Response } from 'express'
import { decisionOf } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { assignmentAt } from '../../domain/decision/assignment.ts'
import { proposalOf } from '../../domain/decision/confirmation.ts'
import type { IdentificationUnderReview } from '../../domain/decision/review.ts'
import { consolePath, type EntityRef } from '../../domain/entity.ts'
import {
  identificationStatus,
  isFilledIn,
  isIdentificationEnded,
  moveKindOf,
  offeredMoves,
} from '../../domain/identification/identification.ts'
import { entered, PERSON_FIELDS } from '../../domain/identification/person-form.ts'
import type { Fields as FieldTable } from '../../domain/kyb/field.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { getIdentificationReview } from '../../use-cases/cases/review.ts'
import { newEffect } from '../../use-cases/effect.ts'
import { decideAboutVerification } from '../../use-cases/identification/decision.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import { textOf } from '../components/fields.tsx'
import type { FieldProblem } from '../components/layout.tsx'
import { sendPage } from '../response.tsx'
import { CasePage } from './case-page.tsx'
import { Cases } from './cases.tsx'
import { Checks } from './checks.tsx'
import { decideFromForm, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { Duplicates, duplicateCount } from './duplicates.tsx'
import { Fields } from './facts.tsx'
import { Finding } from './finding.tsx'
import { waitText } from './queue.tsx'
import { Replies } from './replies.tsx'
import { Screening, screeningRow } from './screening.tsx'
import { findTimeline, readUntil, type TimelineShown } from './timeline.tsx'
import { chosenOf, Document, type ShownFile } from './viewer.tsx'
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
  const review = await getIdentificationReview(deps, target)
  const { identification, photos, screening } = review
  const { assignedTo, state } = identification
  const deciders = screening.hits.map(({ decidedBy }) => decidedBy)
  const named = [assignedTo, state.pending?.by, ...deciders]
  const timeline = await findTimeline(deps, target, named, photos)
  const { deliveries } = await listDeliveries(deps, target.entity, target.id, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Identification
      visit={visit}
      review={review}
      timeline={timeline}
      deliveries={deliveries}
      since={readUntil(res.req)}
      chosen={chosenOf(res.req, photos)}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface IdentificationProps {
  readonly visit: ConsoleVisit
  readonly review: IdentificationUnderReview
  readonly timeline: TimelineShown
  readonly deliveries: readonly Delivery[]
  readonly since: number | null
  readonly chosen: ShownFile | null
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const TYPED: FieldTable = { ...PERSON_FIELDS.details, ...PERSON_FIELDS.document }

function Identification(props: IdentificationProps) {
  const { visit, review, typed } = props
  const { frame } = visit
  const { t } = frame
  const { identification } = review
  const { id, state, kind, origin, externalUuid } = identification
  const profile = entered(identification.profile)
  const isErased = identification.erasedAt !== null
  const outcomes = isErased ? [] : offeredMoves(state)
  const canFind = outcomes.length > 0
  const { corrections = [], replies = [] } = identification.review ?? {}
  const country = profile.address_country ?? profile.nationality ?? profile.country
  const inForce = review.holds.filter((hold) => hold.liftedAt === null).length
  const names = [...new Set([...Object.keys(TYPED), ...Object.keys(profile)])]
  const shown = names.filter((name) => name in profile || isFilledIn(identification))
  const fields = shown.map((field) => ({
    field,
    path: field,
    type: TYPED[field]?.type ?? ('text' as const),
    value: profile[field],
  }))
  return (
    <CasePage
      {...props}
      base={consolePath('identification', id)}
      title={[identification.name, identification.surname].filter(Boolean).join(' ') || externalUuid}
      version={state.version}
      state={[
        [t('console.filter.vault_id'), review.vault.name],
        [t('console.externalId'), externalUuid],
        [
          t('console.country'),
          country === undefined ? t('check.notGiven') : textOf(frame, 'country', country),
        ],
        [t('console.column.status'), wordOf(frame, 'console.status', identificationStatus(state))],
        [
          t('console.origin'),
          `${wordOf(frame, 'console.subject', kind)}, ${wordOf(frame, 'console.origin', origin)}`,
        ],
        [t('console.waitsFor'), waitText(frame, review.waitingOn, identification.waitingSince)],
        ...(review.risks.length > 0
          ? ([[t('console.risk'), review.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        [t('console.holds'), inForce === 0 ? t('console.nothing') : <a href="#holds-title">{inForce}</a>],
        screeningRow(frame, review.screening),
        [t('console.duplicates'), duplicateCount(frame, review.duplicates)],
        [
          t('console.lastDecision'),
          identification.review
            ? wordOf(frame, 'console.decided', identification.review.outcome)
            : t('console.none'),
        ],
        [t('console.version'), String(state.version)],
        ...workflowRow(frame, review.workflow),
      ]}
      outcomes={outcomes}
      pending={proposalOf(identification)}
      assignedTo={assignmentAt(identification).assignedTo}
      more={
        <>
          <Duplicates frame={frame} found={review.duplicates} />
          <Cases
            visit={visit}
            review={review}
            canOpen={!isErased && !isIdentificationEnded(state)}
            typed={typed.case}
          />
        </>
      }
    >
      <Screening
        visit={visit}
        screening={review.screening}
        emails={props.timeline.emails}
        typed={typed.hit}
      />
      <Replies frame={frame} replies={replies} labelOf={({ path }) => labelOf(t, path)} />
      <Fields
        frame={frame}
        id="profile"
        title={t('console.profile')}
        fields={fields}
        corrections={corrections}
        replies={replies}
        canFind={canFind}
        found={typed.findings ?? []}
      />
      <Checks frame={frame} checks={review.checks} />
      {review.photos.map(({ attribute, warnings, ...file }) => (
        <section key={attribute} class="card" aria-labelledby={`${attribute}-title`}>
          <div class="title">
            <h2 id={`${attribute}-title`}>{labelOf(t, attribute)}</h2>
            {canFind ? (
              <Finding
                frame={frame}
                path={attribute}
                label={labelOf(t, attribute)}
                typed={typed.findings ?? []}
              />
            ) : null}
          </div>
          {warnings.map((warning) => (
            <p key={warning} class="comment">
              {t(`console.warning.${warning}`)}
            </p>
          ))}
          <Document id={file.id} name={file.name} contentType={file.contentType} picture />
        </section>
      ))}
      {review.kybId ? (
        <p>
          <a href={consolePath('kyb', review.kybId)}>{t('console.application')}</a>
        </p>
      ) : null}
    </CasePage>
  )
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
