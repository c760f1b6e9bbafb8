/** A company's application, to be decided on. */
import type { Request, Response } from 'express'
import { decisionOf, readFinding } from '../../contracts/decision.ts'
import { decideKybBody } from '../../contracts/kyb-application.ts'
import { type Delivery, listDeliveries } from '../../db/delivery.ts'
import { readTimeline } from '../../db/timeline.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { BENEFICIARY_FIELDS, KYB_FIELDS, SECTIONS } from '../../domain/kyb-fields.ts'
import { beneficiaryPath } from '../../domain/kyb-requirements.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { answerKybReview } from '../../http/review-answer.ts'
import { DECISIONS } from '../../http/routes/kyb-review.ts'
import { sendPage } from '../answer.tsx'
import { labelOf } from '../fields.tsx'
import type { FieldProblem, Frame } from '../layout.tsx'
import { run } from '../save.tsx'
import { CasePage, Fields, type ShownField } from './case-page.tsx'
import { decideFromForm, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { ageText } from './queue.tsx'
import { Screening } from './screening.tsx'
import type { ConsoleVisit } from './visit.ts'
import { workflowRow } from './workflow.tsx'

type Review = Awaited<ReturnType<typeof answerKybReview>>['body']['data']

export async function showApplication(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  res: Response,
  refused: Refused = NOTHING_REFUSED,
): Promise<void> {
  const { data } = (await answerKybReview(deps, target)).body
  const timeline = await readTimeline(deps.db, 'kyb', target.id)
  const { deliveries } = await listDeliveries(deps.db, target, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Application
      visit={visit}
      data={data}
      timeline={timeline}
      deliveries={deliveries}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface ApplicationProps {
  readonly visit: ConsoleVisit
  readonly data: Review
  readonly timeline: Awaited<ReturnType<typeof readTimeline>>
  readonly deliveries: readonly Delivery[]
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const OUTCOMES = ['approved', 'rejected', 'revision_requested'] as const

function Application({ visit, data, timeline, deliveries, problems, typed }: ApplicationProps) {
  const { frame } = visit
  const { t } = frame
  const { status, requirements } = data
  const isOpen = !status.processed && !status.abandoned
  const shared = {
    frame,
    corrections: requirements.errors.map(readFinding),
    canFind: isOpen,
    found: typed.findings ?? [],
  }
  const name = data.nature_of_business.legal_company_name
  return (
    <CasePage
      visit={visit}
      base={`/console/kyb/${data.id}`}
      title={typeof name === 'string' && name !== '' ? name : data.external_id}
      version={data.version}
      state={[
        [t('console.vault'), data.vault.name],
        [t('console.externalId'), data.external_id],
        [
          t('console.column.status'),
          t(status.abandoned ? 'console.abandoned' : status.processed ? 'console.processed' : 'console.open'),
        ],
        [t('console.waitsFor'), `${data.waiting_on}, ${ageText(frame, data.waiting_since)}`],
        [t('console.due'), <Due frame={frame} paths={requirements.currently_due} />],
        ...(data.risks.length > 0
          ? ([[t('console.risk'), data.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        ...(data.review ? ([[t('console.lastDecision'), data.review.outcome]] as const) : []),
        ...workflowRow(frame, data.workflow),
      ]}
      outcomes={isOpen ? OUTCOMES.filter((each) => each !== 'approved' || status.completed) : []}
      pending={data.pending_confirmation}
      assignedTo={data.assigned_to}
      timeline={timeline}
      deliveries={deliveries}
      problems={problems}
      typed={typed}
    >
      <Screening visit={visit} screening={data.screening} />
      {SECTIONS.map((section) => (
        <Fields
          key={section}
          {...shared}
          id={section}
          title={t(`section.${section}`)}
          fields={shownFields(KYB_FIELDS[section], data[section], `${section}.`)}
        />
      ))}
      {data.beneficiaries.beneficiaries_list.map((person) => (
        <div key={person.external_id}>
          <Fields
            {...shared}
            id={person.external_id}
            title={titleOf(person)}
            fields={shownFields(BENEFICIARY_FIELDS, person, beneficiaryPath(person.external_id, ''))}
          />
          <p>
            {t('console.check')}: {person.verification}{' '}
            {person.check ? (
              <a href={`/console/identifications/${person.external_id}`}>{t('console.check.open')}</a>
            ) : null}
          </p>
        </div>
      ))}
      <p>
        <a href={`/console/identifications/${data.identification_id}`}>
          {t('console.companyIdentification')}
        </a>
      </p>
    </CasePage>
  )
}

/** How many, and which for who wants to know. */
function Due({ frame: { t }, paths }: { frame: Frame; paths: readonly string[] }) {
  if (paths.length === 0) return <>{t('console.nothing')}</>
  return (
    <details>
      <summary>{t('status.missing', { missing: paths.length })}</summary>
      {paths.map((path) => labelOf(t, path.split('.').at(-1) ?? '')).join(', ')}
    </details>
  )
}

const titleOf = (person: object): string => {
  const { full_name: name, email } = person as Readonly<Record<string, unknown>>
  return String(name ?? email)
}

const shownFields = (
  fields: Readonly<Record<string, ShownField['kind']>>,
  values: object,
  prefix: string,
): ShownField[] =>
  Object.entries(fields).map(([field, kind]) => ({
    field,
    kind,
    path: `${prefix}${field}`,
    value: (values as Readonly<Record<string, unknown>>)[field],
  }))

export async function decideApplication(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  req: Request,
  res: Response,
): Promise<void> {
  await decideFromForm({
    visit,
    schema: decideKybBody,
    req,
    res,
    decide: (body) => run(deps, visit, target, { kind: DECISIONS[body.outcome], ...decisionOf(body) }),
    again: (refused) => showApplication(deps, visit, target, res, refused),
  })
}
