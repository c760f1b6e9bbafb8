/** An identification, to be decided on, and what blocks it. */
import type { Request, Response } from 'express'
import { answerIdentificationReview } from '../../api/presenters/review-answer.ts'
import { decisionOf, readFinding } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { readIdentificationSnapshot } from '../../db/cases/snapshot.ts'
import { consolePath, type EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import {
  decideIdentification,
  type IdentificationState,
  isFilledIn,
  moveTo,
  OUTCOMES,
} from '../../domain/identification/identification.ts'
import { PERSON_FIELDS } from '../../domain/identification/person-form.ts'
import type { Fields as FieldTable } from '../../domain/kyb/field.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import { sendPage } from '../answer.tsx'
import { textOf } from '../components/fields.tsx'
import type { FieldProblem } from '../components/layout.tsx'
import { CasePage } from './case-page.tsx'
import { Cases, type IdentificationReview } from './cases.tsx'
import { Checks } from './checks.tsx'
import { decideFromForm, decideOnce, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { Duplicates, duplicateCount } from './duplicates.tsx'
import { Fields } from './facts.tsx'
import { Finding } from './finding.tsx'
import { waitText } from './queue.tsx'
import { Screening, screeningRow } from './screening.tsx'
import { findTimeline, readUntil, type TimelineShown } from './timeline.tsx'
import { chosenOf, Document, type StoredFile } from './viewer.tsx'
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
  const { data } = (await answerIdentificationReview(deps, target)).body
  const state = await readIdentificationSnapshot(deps.db, target.vaultId, target.id)
  if (!state) throw new RequestRefused({ code: 'not_found' })
  const timeline = await findTimeline(deps.db, target, data, data.files)
  const { deliveries } = await listDeliveries(deps, target.entity, target.id, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Identification
      visit={visit}
      data={data}
      state={state}
      timeline={timeline}
      deliveries={deliveries}
      since={readUntil(res.req)}
      chosen={chosenOf(res.req, data.files)}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface IdentificationProps {
  readonly visit: ConsoleVisit
  readonly data: IdentificationReview
  readonly state: IdentificationState
  readonly timeline: TimelineShown
  readonly deliveries: readonly Delivery[]
  readonly since: number | null
  readonly chosen: StoredFile | null
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const TYPED: FieldTable = { ...PERSON_FIELDS.details, ...PERSON_FIELDS.document }

function Identification({ state, ...props }: IdentificationProps) {
  const { visit, data, typed } = props
  const { frame } = visit
  const { t } = frame
  const isErased = 'erased_at' in data && data.erased_at !== undefined
  const allowed = OUTCOMES.filter((outcome) => decideIdentification(state, moveTo(outcome)) === null)
  const canFind = !isErased && allowed.length > 0
  const corrections = (data.review?.corrections ?? []).map(readFinding)
  const country = data.profile.address_country ?? data.profile.nationality ?? data.profile.country
  const inForce = data.holds.filter((hold) => hold.lifted_at === null).length
  const names = [...new Set([...Object.keys(TYPED), ...Object.keys(data.profile)])]
  const shown = names.filter((name) => name in data.profile || isFilledIn(data))
  const fields = shown.map((field) => ({
    field,
    path: field,
    type: TYPED[field]?.type ?? ('text' as const),
    value: data.profile[field],
  }))
  return (
    <CasePage
      {...props}
      base={consolePath('identification', data.id)}
      title={[data.name, data.surname].filter(Boolean).join(' ') || data.external_uuid}
      version={data.version}
      state={[
        [t('console.filter.vault_id'), data.vault.name],
        [t('console.externalId'), data.external_uuid],
        [
          t('console.country'),
          country === undefined ? t('check.notGiven') : textOf(frame, 'country', country),
        ],
        [t('console.column.status'), wordOf(frame, 'console.status', data.status)],
        [
          t('console.origin'),
          `${wordOf(frame, 'console.subject', data.kind)}, ${wordOf(frame, 'console.origin', data.origin)}`,
        ],
        [t('console.waitsFor'), waitText(frame, data)],
        ...(data.risks.length > 0
          ? ([[t('console.risk'), data.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        [t('console.holds'), inForce === 0 ? t('console.nothing') : <a href="#holds-title">{inForce}</a>],
        screeningRow(frame, data.screening),
        [t('console.duplicates'), duplicateCount(frame, data)],
        [
          t('console.lastDecision'),
          data.review ? wordOf(frame, 'console.decided', data.review.outcome) : t('console.none'),
        ],
        [t('console.version'), String(data.version)],
        ...workflowRow(frame, data.workflow),
      ]}
      outcomes={isErased ? [] : allowed}
      pending={data.pending_confirmation}
      assignedTo={data.assigned_to}
      more={
        <>
          <Duplicates frame={frame} data={data} />
          <Cases
            visit={visit}
            data={data}
            canOpen={!isErased && data.verification !== 'closed'}
            typed={typed.case}
          />
        </>
      }
    >
      <Screening visit={visit} screening={data.screening} emails={props.timeline.emails} typed={typed.hit} />
      <Fields
        frame={frame}
        id="profile"
        title={t('console.profile')}
        fields={fields}
        corrections={corrections}
        canFind={canFind}
        found={typed.findings ?? []}
      />
      <Checks frame={frame} checks={data.checks} />
      {data.files.map(({ attribute, warnings, ...file }) => (
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
          <Document {...file} picture />
        </section>
      ))}
      {data.kyb_id ? (
        <p>
          <a href={consolePath('kyb', data.kyb_id)}>{t('console.application')}</a>
        </p>
      ) : null}
    </CasePage>
  )
}

export async function decideAboutIdentification(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'identification'>,
  req: Request,
  res: Response,
): Promise<void> {
  await decideFromForm({
    visit,
    schema: decideIdentificationBody,
    req,
    res,
    decide: (body) =>
      decideOnce(deps, visit, target, req, { kind: moveTo(body.outcome), ...decisionOf(body) }),
    decided: () => readIdentificationSnapshot(deps.db, target.vaultId, target.id),
    again: (refused) => showIdentification(deps, visit, target, res, refused),
  })
}
