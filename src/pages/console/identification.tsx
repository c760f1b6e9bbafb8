/** An identification, to be decided on, and what blocks it. */
import type { Request, Response } from 'express'
import { decisionOf, readFinding } from '../../contracts/decision.ts'
import { decideIdentificationBody } from '../../contracts/identification.ts'
import { type Delivery, listDeliveries } from '../../db/delivery.ts'
import { readIdentificationSnapshot } from '../../db/snapshot.ts'
import { readTimeline } from '../../db/timeline.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import {
  decideIdentification,
  type IdentificationState,
  isFilledIn,
  moveTo,
  OUTCOMES,
} from '../../domain/identification.ts'
import { PERSON_FIELDS } from '../../domain/person-form.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { answerIdentificationReview } from '../../http/review-answer.ts'
import { sendPage } from '../answer.tsx'
import { labelOf } from '../fields.tsx'
import type { FieldProblem } from '../layout.tsx'
import { run } from '../save.tsx'
import { CasePage, Document, Fields, type ShownField } from './case-page.tsx'
import { Cases, type IdentificationReview } from './cases.tsx'
import { decideFromForm, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { Finding } from './finding.tsx'
import { ageText } from './queue.tsx'
import { Screening } from './screening.tsx'
import type { ConsoleVisit } from './visit.ts'
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
  const timeline = await readTimeline(deps.db, 'identification', target.id)
  const { deliveries } = await listDeliveries(deps.db, target, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Identification
      visit={visit}
      data={data}
      state={state}
      timeline={timeline}
      deliveries={deliveries}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface IdentificationProps {
  readonly visit: ConsoleVisit
  readonly data: IdentificationReview
  readonly state: IdentificationState
  readonly timeline: Awaited<ReturnType<typeof readTimeline>>
  readonly deliveries: readonly Delivery[]
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const KINDS: Readonly<Record<string, ShownField['kind']>> = {
  ...PERSON_FIELDS.details,
  ...PERSON_FIELDS.document,
}

function Identification({ visit, data, state, timeline, deliveries, problems, typed }: IdentificationProps) {
  const { frame } = visit
  const { t } = frame
  const isErased = 'erased_at' in data && data.erased_at !== undefined
  const allowed = OUTCOMES.filter((outcome) => decideIdentification(state, moveTo(outcome)) === null)
  const canFind = !isErased && allowed.length > 0
  const corrections = (data.review?.corrections ?? []).map(readFinding)
  const names = [...new Set([...Object.keys(KINDS), ...Object.keys(data.profile)])]
  const shown = names.filter((name) => name in data.profile || isFilledIn(data))
  const fields = shown.map((field) => ({
    field,
    path: field,
    kind: KINDS[field] ?? ('text' as const),
    value: data.profile[field],
  }))
  return (
    <CasePage
      visit={visit}
      base={`/console/identifications/${data.id}`}
      title={[data.name, data.surname].filter(Boolean).join(' ') || data.external_uuid}
      version={data.version}
      state={[
        [t('console.vault'), data.vault.name],
        [t('console.externalId'), data.external_uuid],
        [t('console.column.status'), data.status],
        [t('console.origin'), `${data.kind}, ${data.origin}`],
        [t('console.waitsFor'), `${data.waiting_on}, ${ageText(frame, data.waiting_since)}`],
        ...(data.risks.length > 0
          ? ([[t('console.risk'), data.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        ...(data.review ? ([[t('console.lastDecision'), data.review.outcome]] as const) : []),
        ...workflowRow(frame, data.workflow),
      ]}
      outcomes={isErased ? [] : allowed}
      pending={data.pending_confirmation}
      assignedTo={data.assigned_to}
      timeline={timeline}
      deliveries={deliveries}
      problems={problems}
      typed={typed}
      more={<Cases visit={visit} data={data} canOpen={!isErased && data.verification !== 'closed'} />}
    >
      <Screening visit={visit} screening={data.screening} />
      <Fields
        frame={frame}
        id="profile"
        title={t('console.profile')}
        fields={fields}
        corrections={corrections}
        canFind={canFind}
        found={typed.findings ?? []}
      />
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
          <Document {...file} />
        </section>
      ))}
      {data.kyb_id ? (
        <p>
          <a href={`/console/kyb/${data.kyb_id}`}>{t('console.application')}</a>
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
    decide: (body) => run(deps, visit, target, { kind: moveTo(body.outcome), ...decisionOf(body) }),
    again: (refused) => showIdentification(deps, visit, target, res, refused),
  })
}
