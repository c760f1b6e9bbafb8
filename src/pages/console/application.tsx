/** Page: an application under review, with its decision form. */
import type { Request, Response } from 'express'
import { decisionOf } from '../../contracts/decision.ts'
import { decideKybBody } from '../../contracts/kyb-application.ts'
import { assignmentAt } from '../../domain/decision/assignment.ts'
import { proposalOf } from '../../domain/decision/confirmation.ts'
import type { KybUnderReview } from '../../domain/decision/review.ts'
import { consolePath, type EntityRef } from '../../domain/entity.ts'
import { DECISION_OF, offeredOutcomes } from '../../domain/kyb/application.ts'
import type { Change } from '../../domain/kyb/changes.ts'
import { BENEFICIARY_FIELDS } from '../../domain/kyb/fields/beneficiaries.ts'
import { KYB_FIELDS, SECTIONS } from '../../domain/kyb/fields.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { beneficiaryPath } from '../../domain/kyb/requirements.ts'
import type { Delivery } from '../../domain/webhook/log.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { getKybReview } from '../../use-cases/cases/review.ts'
import { newEffect } from '../../use-cases/effect.ts'
import { decideAboutKyb } from '../../use-cases/kyb/decision.ts'
import { listDeliveries } from '../../use-cases/webhooks/deliveries.ts'
import { dueText } from '../applicant/due.ts'
import { textOf } from '../components/fields.tsx'
import type { FieldProblem, Frame } from '../components/layout.tsx'
import { isEmpty } from '../form-values.ts'
import { sendPage } from '../response.tsx'
import { CasePage } from './case-page.tsx'
import { decideFromForm, NOTHING_REFUSED, type Refused, type Typed } from './decision.ts'
import { DELIVERIES } from './deliveries.tsx'
import { Duplicates, duplicateCount } from './duplicates.tsx'
import { Fields, shownFields } from './facts.tsx'
import { isOfPerson, People, PersonStatus, Removed, titleOf, titleOfRemoved } from './people.tsx'
import { waitText } from './queue.tsx'
import { Replies } from './replies.tsx'
import { Screening, screeningRow } from './screening.tsx'
import { findTimeline, readUntil, type TimelineShown } from './timeline.tsx'
import { chosenOf, type ShownFile } from './viewer.tsx'
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
  const review = await getKybReview(deps, target)
  const { application, screening } = review
  const { assignedTo, files, state } = application
  const shownFiles = [...files].map(([id, file]) => ({ id, ...file }))
  const deciders = screening.hits.map(({ decidedBy }) => decidedBy)
  const named = [assignedTo, state.pending?.by, ...deciders]
  const timeline = await findTimeline(deps, target, named, shownFiles)
  const { deliveries } = await listDeliveries(deps, target.entity, target.id, DELIVERIES)
  sendPage(
    res,
    refused.status,
    <Application
      visit={visit}
      review={review}
      timeline={timeline}
      deliveries={deliveries}
      since={readUntil(res.req)}
      chosen={chosenOf(res.req, shownFiles)}
      problems={refused.problems}
      typed={refused.typed}
    />,
  )
}

interface ApplicationProps {
  readonly visit: ConsoleVisit
  readonly review: KybUnderReview
  readonly timeline: TimelineShown
  readonly deliveries: readonly Delivery[]
  readonly since: number | null
  readonly chosen: ShownFile | null
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

function Application(props: ApplicationProps) {
  const { visit, review, typed } = props
  const { frame } = visit
  const { t } = frame
  const { application, due, changes } = review
  const { id, state, content, files, externalId } = application
  const outcomes = offeredOutcomes(state)
  const shared = {
    frame,
    corrections: application.corrections,
    replies: application.replies,
    canFind: outcomes.length > 0,
    found: typed.findings ?? [],
    due,
    changes,
  }
  const { country_of_incorporation: country, legal_company_name: name } = content.nature_of_business
  return (
    <CasePage
      {...props}
      base={consolePath('kyb', id)}
      title={name || externalId}
      version={state.version}
      state={[
        [t('console.filter.vault_id'), review.vault.name],
        [t('console.externalId'), externalId],
        [t('console.country'), isEmpty(country) ? t('check.notGiven') : textOf(frame, 'country', country)],
        [t('console.column.status'), t(`console.status.${state.status}`)],
        [t('console.waitsFor'), waitText(frame, review.waitingOn, application.waitingSince)],
        [
          t('console.due'),
          due.length === 0 ? (
            t('console.nothing')
          ) : (
            <Folded
              summary={t('status.missing', { missing: due.length })}
              names={due.map(
                (each) => `${labelOfPath(frame, each.path, application)}: ${dueText(frame, each)}`,
              )}
            />
          ),
        ],
        ...(review.risks.length > 0
          ? ([[t('console.risk'), review.risks.map((risk) => t(`console.risk.${risk}`)).join(', ')]] as const)
          : []),
        [t('console.people'), <People frame={frame} review={review} />],
        [
          t('console.changes'),
          changes.length === 0 ? (
            t('console.nothing')
          ) : (
            <Folded
              summary={t('console.changes.count', { count: changes.length })}
              names={changes.map((change) => labelOfChange(frame, change, application))}
            />
          ),
        ],
        screeningRow(frame, review.screening),
        [t('console.duplicates'), duplicateCount(frame, review.duplicates)],
        [
          t('console.lastDecision'),
          application.review
            ? wordOf(frame, 'console.decided', application.review.outcome)
            : t('console.none'),
        ],
        [t('console.version'), String(state.version)],
        ...workflowRow(frame, review.workflow),
      ]}
      outcomes={outcomes}
      pending={proposalOf(application)}
      assignedTo={assignmentAt(application).assignedTo}
      more={<Duplicates frame={frame} found={review.duplicates} />}
    >
      <Screening
        visit={visit}
        screening={review.screening}
        emails={props.timeline.emails}
        typed={typed.hit}
      />
      <Replies
        frame={frame}
        replies={application.replies}
        labelOf={({ path, fileId = '' }) =>
          [labelOfPath(frame, path, application), files.get(fileId)?.name].filter(Boolean).join(': ')
        }
      />
      {SECTIONS.map((section) => (
        <Fields
          key={section}
          {...shared}
          id={section}
          title={t(`section.${section}`)}
          fields={shownFields(KYB_FIELDS[section], content[section], `${section}.`, files)}
        />
      ))}
      {content.beneficiaries.beneficiaries_list.map((person) => (
        <Fields
          key={person.external_id}
          {...shared}
          id={person.external_id}
          title={titleOf(person)}
          fields={shownFields(BENEFICIARY_FIELDS, person, beneficiaryPath(person.external_id, ''), files)}
        >
          <PersonStatus frame={frame} review={review} person={person} />
        </Fields>
      ))}
      <Removed frame={frame} changes={changes} />
      <p>
        <a href={consolePath('identification', application.identificationId)}>
          {t('console.companyIdentification')}
        </a>
      </p>
    </CasePage>
  )
}

/** Shows the number, and the names when the operator opens the list. */
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

function labelOfPath({ t }: Frame, path: string, { content: { beneficiaries } }: KybApplication): string {
  const parts = path.split('.')
  const person = beneficiaries.beneficiaries_list.find(({ external_id }) => external_id === parts[2])
  const label = labelOf(t, parts.at(-1) ?? '')
  return person ? `${titleOf(person)}: ${label}` : label
}

const labelOfChange = (frame: Frame, { path, before, after }: Change, application: KybApplication): string =>
  isOfPerson(path)
    ? titleOfRemoved(frame, (after ?? before) as object)
    : labelOfPath(frame, path, application)

export const decideApplication = (
  deps: RouteDeps,
  visit: ConsoleVisit,
  target: EntityRef<'kyb'>,
  req: Request,
  res: Response,
): Promise<void> =>
  decideFromForm({
    deps,
    visit,
    target,
    schema: decideKybBody,
    req,
    res,
    kindOf: (outcome) => DECISION_OF[outcome],
    decide: (body) =>
      decideAboutKyb(deps, visit, target.id, { outcome: body.outcome, ...decisionOf(body) }, newEffect()),
    showAgain: (refused) => showApplication(deps, visit, target, res, refused),
  })
