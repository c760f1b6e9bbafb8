/** A company's application, to be decided on. */
import type { Request, Response } from 'express'
import { answerKybReview } from '../../api/presenters/review-answer.ts'
import { decisionOf, readFinding } from '../../contracts/decision.ts'
import { decideKybBody } from '../../contracts/kyb-application.ts'
import { readKybSnapshot } from '../../db/cases/snapshot.ts'
import { consolePath, type EntityRef } from '../../domain/entity.ts'
import { DECISION_OF } from '../../domain/kyb/application.ts'
import type { Change } from '../../domain/kyb/changes.ts'
import { BENEFICIARY_FIELDS } from '../../domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS } from '../../domain/kyb/fields.ts'
import { beneficiaryPath } from '../../domain/kyb/requirements.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import { sendPage } from '../answer.tsx'
import { dueText } from '../applicant/due.ts'
import { textOf } from '../components/fields.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { isEmpty } from '../form-values.ts'
import { CasePage } from './case-page.tsx'
import { decideFromForm, decideOnce, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { Duplicates, duplicateCount } from './duplicates.tsx'
import { Fields, shownFields } from './facts.tsx'
import { isOfPerson, type KybReview, People, Removed, Standing, titleOf } from './people.tsx'
import { waitText } from './queue.tsx'
import { Screening, screeningRow } from './screening.tsx'
import { findTimeline, readUntil, type TimelineShown } from './timeline.tsx'
import { chosenOf, type StoredFile } from './viewer.tsx'
import type { ConsoleVisit } from './visit.ts'
import { labelOf, wordOf } from './words.ts'
import { workflowRow } from './workflow.tsx'

export async function showApplication(
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  res: Response,
  refused: Refused = NOTHING_REFUSED,
): Promise<void> {
  const { data } = (await answerKybReview(deps, target)).body
  const timeline = await findTimeline(deps.db, target, data, filesOf(data))
  const { deliveries } = await listDeliveries(deps, target.entity, target.id, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Application
      visit={visit}
      data={data}
      timeline={timeline}
      deliveries={deliveries}
      since={readUntil(res.req)}
      chosen={chosenOf(res.req, filesOf(data))}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface ApplicationProps {
  readonly visit: ConsoleVisit
  readonly data: KybReview
  readonly timeline: TimelineShown
  readonly deliveries: readonly Delivery[]
  readonly since: number | null
  readonly chosen: StoredFile | null
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const OUTCOMES = ['approved', 'rejected', 'revision_requested'] as const

function Application(props: ApplicationProps) {
  const { visit, data, typed } = props
  const { frame } = visit
  const { t } = frame
  const { status, requirements } = data
  const isOpen = !status.processed && !status.abandoned
  const { changes } = data
  const due = requirements.reasons.map(({ path, code }) => ({ path, reason: code }))
  const shared = {
    frame,
    corrections: requirements.errors.map(readFinding),
    canFind: isOpen && !data.pending_confirmation,
    found: typed.findings ?? [],
    due,
    changes,
  }
  const country = data.nature_of_business.country_of_incorporation
  const name = data.nature_of_business.legal_company_name
  return (
    <CasePage
      {...props}
      base={consolePath('kyb', data.id)}
      title={typeof name === 'string' && name !== '' ? name : data.external_id}
      version={data.version}
      state={[
        [t('console.filter.vault_id'), data.vault.name],
        [t('console.externalId'), data.external_id],
        [t('console.country'), isEmpty(country) ? t('check.notGiven') : textOf(frame, 'country', country)],
        [
          t('console.column.status'),
          t(`console.status.${status.abandoned ? 'abandoned' : status.processed ? 'processed' : 'open'}`),
        ],
        [t('console.waitsFor'), waitText(frame, data)],
        [
          t('console.due'),
          due.length === 0 ? (
            t('console.nothing')
          ) : (
            <Folded
              summary={t('status.missing', { missing: due.length })}
              names={due.map((each) => `${labelOfPath(frame, each.path, data)}: ${dueText(frame, each)}`)}
            />
          ),
        ],
        ...(data.risks.length > 0
          ? ([[t('console.risk'), data.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        [t('console.people'), <People frame={frame} data={data} />],
        [
          t('console.changes'),
          changes.length === 0 ? (
            t('console.nothing')
          ) : (
            <Folded
              summary={t('console.changes.count', { count: changes.length })}
              names={changes.map((change) => labelOfChange(frame, change, data))}
            />
          ),
        ],
        screeningRow(frame, data.screening),
        [t('console.duplicates'), duplicateCount(frame, data)],
        [
          t('console.lastDecision'),
          data.review ? wordOf(frame, 'console.decided', data.review.outcome) : t('console.none'),
        ],
        [t('console.version'), String(data.version)],
        ...workflowRow(frame, data.workflow),
      ]}
      outcomes={isOpen ? OUTCOMES.filter((each) => each !== 'approved' || status.completed) : []}
      pending={data.pending_confirmation}
      assignedTo={data.assigned_to}
      more={<Duplicates frame={frame} data={data} />}
    >
      <Screening visit={visit} screening={data.screening} emails={props.timeline.emails} typed={typed.hit} />
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
        <Fields
          key={person.external_id}
          {...shared}
          id={person.external_id}
          title={titleOf(person)}
          fields={shownFields(BENEFICIARY_FIELDS, person, beneficiaryPath(person.external_id, ''))}
        >
          <Standing frame={frame} data={data} person={person} />
        </Fields>
      ))}
      <Removed frame={frame} changes={changes} />
      <p>
        <a href={consolePath('identification', data.identification_id)}>
          {t('console.companyIdentification')}
        </a>
      </p>
    </CasePage>
  )
}

/** How many, and which for who wants to know. */
function Folded({ summary, names }: { summary: string; names: readonly string[] }) {
  return (
    <details>
      <summary>{summary}</summary>
      <ul class="plain">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </details>
  )
}

/** A person's field is told with the person's name. */
function labelOfPath({ t }: Frame, path: string, { beneficiaries }: KybReview): string {
  const parts = path.split('.')
  const person = beneficiaries.beneficiaries_list.find(({ external_id }) => external_id === parts[2])
  const label = labelOf(t, parts.at(-1) ?? '')
  return person ? `${titleOf(person)}: ${label}` : label
}

/** A person who came or went is told by name. */
const labelOfChange = (frame: Frame, { path, before, after }: Change, data: KybReview): string =>
  isOfPerson(path) ? titleOf((after ?? before) as object) : labelOfPath(frame, path, data)

const filesOf = (data: KybReview): StoredFile[] => {
  const people = data.beneficiaries.beneficiaries_list
  const lists = [...SECTIONS.map((section) => data[section]), ...people].flatMap((fields) =>
    Object.values(fields),
  )
  return lists
    .flatMap((value) => (Array.isArray(value) ? value : []))
    .filter((value) => value?.id !== undefined)
}

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
    decide: (body) =>
      decideOnce(deps, visit, target, req, { kind: DECISION_OF[body.outcome], ...decisionOf(body) }),
    decided: () => readKybSnapshot(deps.db, target.vaultId, target.id),
    again: (refused) => showApplication(deps, visit, target, res, refused),
  })
}
