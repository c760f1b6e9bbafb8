/** Page: an application under review, with its decision form. */
import type { Response } from 'express'
import { consolePath } from '../../../domain/entity/console-path.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import { type KybState, offeredOutcomes } from '../../../domain/kyb/application.ts'
import type { Change } from '../../../domain/kyb/changes.ts'
import { type Beneficiary, personIn, SECTIONS, type Section } from '../../../domain/kyb/fields.ts'
import {
  companyValues,
  type Form,
  factsOf,
  factsOfPerson,
  fieldAt,
  fieldsIn,
  personValues,
} from '../../../domain/kyb/form.ts'
import { groupsOf } from '../../../domain/kyb/groups.ts'
import { PROVES } from '../../../domain/kyb/proof.ts'
import type { KybApplication } from '../../../domain/kyb/record.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { KybUnderReview } from '../../../domain/review/review.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { getKybReview } from '../../../use-cases/review/review.ts'
import { textOf } from '../../components/fields.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import { type TextName, withFormTexts } from '../../texts/index.ts'
import { isEmpty } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { labelOf, nameOrId } from '../base/words.ts'
import { ApplicationSummary, dueTitle } from './application-summary.tsx'
import { NOTHING_REFUSED, type Refused } from './decision.ts'
import { acceptableIn, Fields, listedIn, type ShownField, shownFields } from './facts.tsx'
import { AcceptFoot } from './marks.tsx'
import { CasePage } from './page.tsx'
import { PersonStatus, Removed, titleOf } from './people.tsx'
import { ProfileMove } from './profile-change.tsx'
import { Proofs, type ProvenField } from './proof.tsx'
import { screeningPanel } from './screening.tsx'
import type { ChangedValues } from './timeline.tsx'
import { type CaseView, loadCaseView, screeningLock } from './view.tsx'
import { type CaseDocument, type ShownFile, Viewer } from './viewer.tsx'

export async function showApplication(
  deps: RouteDeps,
  by: ConsoleVisit,
  target: EntityRef<'kyb'>,
  res: Response,
  refused: Refused = NOTHING_REFUSED,
): Promise<void> {
  const review = await getKybReview(deps, by, byOf(by, res.req), target)
  const { application } = review
  const visit = { ...by, frame: withFormTexts(by.frame, application.form) }
  const view = await loadCaseView({
    deps,
    visit,
    target,
    res,
    refused,
    review,
    record: application,
    externalId: application.externalId,
    documents: documentsOf(visit.frame, application),
    files: [...application.files].map(([id, file]) => ({ id, ...file })),
  })
  sendPage(res, refused.status, <Application {...view} review={review} />)
}

/** Returns the documents in the order of the strip: the company's, then those of each person. */
function documentsOf(frame: Frame, application: KybApplication): CaseDocument[] {
  const { t } = frame
  const { content } = application
  const listed = (fields: ShownField[], about?: string) =>
    fields.flatMap(({ field, path, type, value }) =>
      type === 'files'
        ? (value as readonly ShownFile[]).map((file) => ({
            ...file,
            path,
            label: [about, file.side ? t(`files.side.${file.side}`) : labelOf(t, field)]
              .filter(Boolean)
              .join(': '),
          }))
        : [],
    )
  return [
    ...DOCUMENT_SECTIONS.flatMap((section) => listed(shownOf(application, section))),
    ...content.beneficiaries.beneficiaries_list.flatMap((person) =>
      listed(shownOfPerson(application, person), titleOf(person)),
    ),
  ]
}

interface ApplicationProps extends CaseView {
  readonly review: KybUnderReview
}

function Application(props: ApplicationProps) {
  const { visit, review, documents, chosen, marks } = props
  const { frame } = visit
  const { t } = frame
  const { application, changes, screening } = review
  const { state, content, externalId } = application
  const { country_of_incorporation: country, legal_company_name: name } = content.nature_of_business
  const shown = fieldsOf(props)
  const people = content.beneficiaries.beneficiaries_list
  const locked = lockOf(state, review)
  return (
    <CasePage
      {...props}
      title={nameOrId(name, externalId)}
      country={country}
      changed={changedValues(frame, application.form, changes)}
      locked={locked}
      lockNote={
        locked === 'console.locked.due' && review.due.length > 0
          ? dueTitle(frame, review)
          : locked && t(locked)
      }
      labelOf={(path, file = '') =>
        [shown.label(path), application.files.get(file)?.name].filter(Boolean).join(': ')
      }
      links={
        <>
          <a href={consolePath('identification', application.identificationId)}>
            <Icon name="id-card" />
            {t('console.companyIdentification')}
          </a>
          <ProfileMove {...props} later={application.later} />
        </>
      }
      panels={[
        {
          tab: 'summary',
          name: t('console.tab.summary'),
          content: (
            <ApplicationSummary
              frame={frame}
              base={props.base}
              review={review}
              documents={documents}
              labelOfPath={shown.label}
            />
          ),
        },
        {
          tab: 'company',
          name: t('console.tab.company'),
          content: (
            <>
              {shown.company}
              {shown.acceptIn('company')}
            </>
          ),
        },
        {
          tab: 'owners',
          name: t('console.tab.owners'),
          count: people.length,
          content: (
            <>
              {shown.owners}
              <Removed frame={frame} changes={changes} />
              {shown.acceptIn('owners')}
            </>
          ),
        },
        {
          tab: 'documents',
          name: t('section.business_files'),
          count: shown.documentCount,
          content: (
            <>
              {shown.documents}
              {shown.acceptIn('documents')}
            </>
          ),
        },
        screeningPanel(props, screening),
      ]}
    >
      {documents.length > 0 ? (
        <>
          <Viewer marks={marks} documents={documents} chosen={chosen} />
          <div class="pane-end screen-only">
            <Proofs {...shown.shared} documents={documents} chosen={chosen} provenBy={provenIn(review)} />
          </div>
        </>
      ) : null}
    </CasePage>
  )
}

/** Returns the fields that the documents at a path prove. A document of a person proves only fields of that person. */
const provenIn =
  ({ application }: KybUnderReview) =>
  (path: string): ProvenField[] => {
    const { content } = application
    const parts = path.split('.')
    const { company = {}, people = [] } = PROVES[parts.at(-1) ?? ''] ?? {}
    const of = (names: readonly string[], fields: ShownField[]) =>
      fields.filter(({ field, value }) => names.includes(field) && !isEmpty(value))
    const ofCompany = SECTIONS.flatMap((section) => of(company[section] ?? [], shownOf(application, section)))
    const persons = content.beneficiaries.beneficiaries_list.filter(
      ({ external_id }) => parts.length < 4 || parts[2] === external_id,
    )
    return [
      ...ofCompany.map((field) => ({ field })),
      ...persons.flatMap((person) =>
        of(people, shownOfPerson(application, person)).map((field) => ({ field, about: titleOf(person) })),
      ),
    ]
  }

/** Returns the values that have changed. Files and people have no text. */
const changedValues = (frame: Frame, form: Form, changes: readonly Change[]): ChangedValues =>
  new Map(
    changes.flatMap(({ path, before, after }) => {
      const { type, currency } = fieldAt(form, path) ?? {}
      if (type === undefined || type === 'files') return []
      const text = (value: unknown) =>
        isEmpty(value) ? frame.t('check.notGiven') : textOf(frame, type, value, currency)
      return [[path, [text(before), text(after)]] as const]
    }),
  )

/** Returns why the application cannot be approved, or null if it can. */
const lockOf = (state: KybState, { application, waitingOn }: KybUnderReview): TextName | null => {
  if (waitingOn === 'nobody') return null
  if (!offeredOutcomes(state).includes('approved')) return 'console.locked.due'
  return screeningLock(application)
}

/** The sections that contain documents, in the order of the strip. */
const DOCUMENT_SECTIONS = ['business_files', 'beneficiaries', 'usage_of_account'] as const
const COMPANY_SECTIONS = ['nature_of_business', 'usage_of_account'] as const

/** Returns the company's fields in a section, with those that the profile adds to it, in the order of the form. */
function shownOf({ form, content, files }: KybApplication, section: Section) {
  const questions = groupsOf(form, section).flatMap(({ paths }) => paths)
  // Documents are in no group, so that they come first.
  const fields = Object.fromEntries(
    Object.entries(fieldsIn(form, section)).sort(([a], [b]) => questions.indexOf(a) - questions.indexOf(b)),
  )
  return shownFields(fields, companyValues(content, fields), '', files, factsOf(form, content))
}

const shownOfPerson = ({ form, content, files }: KybApplication, person: Beneficiary) =>
  shownFields(
    form.person,
    personValues(form, person),
    beneficiaryPath(person.external_id, ''),
    files,
    factsOfPerson(form, content, person),
  )

/** Returns the fields of each tab: the data, the data about owners, and the documents. */
function fieldsOf({ visit: { frame }, review, marks, documents }: ApplicationProps) {
  const { t } = frame
  const { application, due, changes } = review
  const { content, corrections, replies } = application
  const shared = { frame, marks, corrections, replies, due, changes }
  // As in the form, the questions about documents follow their files.
  const fields = (section: Section, inDocuments: boolean) =>
    shownOf(application, section).filter(
      ({ type }) => (type === 'files' || section === 'business_files') === inDocuments,
    )
  const listed = {
    company: COMPANY_SECTIONS.flatMap((section) => fields(section, false)),
    owners: [
      ...fields('beneficiaries', false),
      ...content.beneficiaries.beneficiaries_list.flatMap((person) => shownOfPerson(application, person)),
    ],
    documents: fields('business_files', true),
  }
  const rows = DOCUMENT_SECTIONS.flatMap((section) =>
    listedIn({ ...shared, fields: fields(section, true) }).filter(({ type }) => type === 'files'),
  )
  const given = rows.filter(({ value }) => !isEmpty(value)).length
  return {
    shared,
    /** Accepts all rows of a tab. If there are documents, the pane next to the tab accepts the fields that they prove. */
    acceptIn: (tab: keyof typeof listed) =>
      documents.length === 0 ? (
        <AcceptFoot marks={marks} id={`${tab}-rest`} keys={acceptableIn(marks, listed[tab])} />
      ) : null,
    /** The number of rows with a document, or of all rows as well if some have none. */
    documentCount: given < rows.length ? `${given}/${rows.length}` : given,
    label: (path: string) => labelOfPath(frame, path, application),
    company: COMPANY_SECTIONS.map((section) => (
      <Fields
        key={section}
        {...shared}
        id={section}
        title={t(`section.${section}`)}
        fields={fields(section, false)}
      />
    )),
    owners: [
      <Fields
        key="beneficiaries"
        {...shared}
        id="beneficiaries"
        title={t('section.beneficiaries')}
        fields={fields('beneficiaries', false)}
      />,
      ...content.beneficiaries.beneficiaries_list.map((person) => (
        <Fields
          key={person.external_id}
          {...shared}
          id={person.external_id}
          title={titleOf(person)}
          fields={shownOfPerson(application, person)}
        >
          <PersonStatus frame={frame} review={review} person={person} />
        </Fields>
      )),
    ],
    documents: DOCUMENT_SECTIONS.map((section) => (
      <Fields
        key={section}
        {...shared}
        id={`${section}-files`}
        title={t(section === 'business_files' ? 'console.companyDocuments' : `section.${section}`)}
        fields={fields(section, true)}
      />
    )),
  }
}

function labelOfPath({ t }: Frame, path: string, { content }: KybApplication): string {
  const parts = path.split('.')
  const person = personIn(content, parts[2])
  const label = labelOf(t, parts.at(-1) ?? '')
  return person ? `${titleOf(person)}: ${label}` : label
}
