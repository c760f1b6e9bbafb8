/** The pages of a company's form: overview, sections, owners, documents, what was entered, and the end. */
import type { ComponentChildren } from 'preact'
import { type Beneficiary, KYB_FIELDS, type Section } from '../domain/kyb-fields.ts'
import { requiredFields } from '../domain/kyb-requirements.ts'
import { COUNTRIES } from './countries.ts'
import { Field, labelOf, optionOf } from './fields.tsx'
import { type FieldProblem, type Frame, Page } from './layout.tsx'
import {
  correctionsOn,
  DOCUMENTS,
  dueOn,
  hrefOf,
  PERSON_DOCUMENTS,
  PERSON_FIELDS,
  SECTION_PAGES,
  type SectionPage,
  typedFields,
} from './sections.ts'
import type { Visit } from './visit.ts'

interface FormPage {
  readonly visit: Visit
  readonly problems?: readonly FieldProblem[]
  /** What was typed and not taken, by the names of the inputs. */
  readonly typed?: Readonly<Record<string, unknown>>
}

export function Overview({ visit }: FormPage) {
  const { frame, application, base } = visit
  const { t } = frame
  const corrections = application.corrections
  const general = correctionsOn(application, null)
  return (
    <Page frame={frame} title={t('overview.title')}>
      <p>{t('overview.text')}</p>
      {corrections.length > 0 ? (
        <div class="notice">
          <h2>{t('overview.revision')}</h2>
          <p>{application.review?.clientComment ?? t('overview.revisionText')}</p>
          {general.map(({ message }) => (message ? <p key={message}>{message}</p> : null))}
        </div>
      ) : null}
      <p class="quiet">{t('overview.progress', { missing: application.currentlyDue.length })}</p>
      <ul class="tasks">
        {SECTION_PAGES.map((page) => (
          <li key={page}>
            <a href={`${base}/${page}`}>{t(`section.${page}`)}</a>
            <Status visit={visit} page={page} />
          </li>
        ))}
      </ul>
      <p>
        <a class="button" href={`${base}/check`}>
          {t('overview.check')}
        </a>
      </p>
    </Page>
  )
}

function Status({ visit: { frame, application }, page }: { visit: Visit; page: SectionPage }) {
  const { t } = frame
  const missing = dueOn(application, page).length
  if (correctionsOn(application, page).length > 0)
    return <span class="status bad">{t('status.problem')}</span>
  if (missing > 0) return <span class="status">{t('status.missing', { missing })}</span>
  return <span class="status good">{t('status.complete')}</span>
}

/** The fields of a section, or of a person: those that are due are the required ones. */
function FieldList({
  visit,
  prefix,
  fields,
  values,
  required,
  problems = [],
  typed = {},
}: FormPage & {
  prefix: string
  fields: Parameters<typeof Object.entries<Parameters<typeof Field>[0]['kind']>>[0]
  values: Readonly<Record<string, unknown>>
  required: (field: string) => boolean
}) {
  const { corrections } = visit.application
  return (
    <>
      {Object.entries(fields).map(([field, kind]) => {
        const path = `${prefix}${field}`
        return (
          <Field
            key={path}
            frame={visit.frame}
            path={path}
            field={field}
            kind={kind}
            value={path in typed ? typed[path] : values[field]}
            required={required(field)}
            problem={problems.find((each) => each.field === path)}
            comment={corrections.find((each) => each.path === path)?.message}
          />
        )
      })}
    </>
  )
}

function SaveForm({ visit: { frame, csrf }, children }: { visit: Visit; children: ComponentChildren }) {
  return (
    <form method="post" novalidate>
      <input type="hidden" name="_csrf" value={csrf} />
      {children}
      <button type="submit">{frame.t('section.save')}</button>
    </form>
  )
}

export function SectionForm({ visit, page, problems = [], typed = {} }: FormPage & { page: SectionPage }) {
  const { frame, application, base } = visit
  const { t } = frame
  const fields = (
    <FieldList
      visit={visit}
      prefix={`${page}.`}
      fields={typedFields(page)}
      values={application.content[page]}
      required={(field) => requiredFields(page, application.content).includes(field)}
      problems={problems}
      typed={typed}
    />
  )
  return (
    <Page frame={frame} title={t(`section.${page}`)} back={base} problems={problems}>
      <p>{t(`section.${page}.text`)}</p>
      {page === 'beneficiaries' ? <Owners visit={visit} /> : null}
      {page === 'business_files' ? (
        <Documents
          visit={visit}
          lists={DOCUMENTS.map(({ section, field }) => ({
            path: `${section}.${field}`,
            field,
            action: `${base}/files/${field}`,
            ids: filesIn(application.content[section], field),
            required: requiredFields(section, application.content).includes(field),
          }))}
        />
      ) : null}
      {page === 'beneficiaries' ? <h2>{t('owners.more')}</h2> : null}
      <SaveForm visit={visit}>{fields}</SaveForm>
    </Page>
  )
}

const filesIn = (values: object, field: string): readonly string[] =>
  ((values as Record<string, unknown>)[field] ?? []) as readonly string[]

interface FileList {
  readonly path: string
  readonly field: string
  readonly action: string
  readonly ids: readonly string[]
  readonly required: boolean
}

function Documents({ visit, lists }: { visit: Visit; lists: readonly FileList[] }) {
  const { frame, application, csrf } = visit
  const { t } = frame
  return (
    <>
      {lists.map(({ path, field, action, ids, required }) => {
        const comment = application.corrections.find((each) => each.path === path)?.message
        return (
          <section key={path} id={path} class="documents" tabIndex={-1} aria-labelledby={`${path}-title`}>
            <h2 id={`${path}-title`}>
              {labelOf(t, field)} {required ? null : <span class="quiet">{t('page.optional')}</span>}
            </h2>
            {comment ? <p class="comment">{comment}</p> : null}
            {ids.length === 0 ? <p class="quiet">{t('files.none')}</p> : null}
            <ul class="files">
              {ids.map((id) => (
                <li key={id}>
                  <span>{application.files.get(id)}</span>
                  <form method="post" action={`${action}/${id}/remove`}>
                    <input type="hidden" name="_csrf" value={csrf} />
                    <button type="submit" class="quiet">
                      {t('files.remove', { name: application.files.get(id) ?? '' })}
                    </button>
                  </form>
                </li>
              ))}
            </ul>
            <form method="post" action={action} encType="multipart/form-data">
              <input type="hidden" name="_csrf" value={csrf} />
              <label for={`${path}-file`}>{t('files.choose')}</label>
              <input
                type="file"
                id={`${path}-file`}
                name="file"
                accept="image/jpeg,image/png,application/pdf"
              />
              <button type="submit" class="second">
                {t('files.upload')}
              </button>
            </form>
          </section>
        )
      })}
    </>
  )
}

function Owners({ visit }: { visit: Visit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const people = application.content.beneficiaries.beneficiaries_list
  return (
    <>
      {people.length === 0 ? (
        <p class="quiet" id="beneficiaries.beneficiaries_list">
          {t('owners.none')}
        </p>
      ) : null}
      <ul class="people">
        {people.map((person) => {
          const prefix = `beneficiaries.beneficiaries_list.${person.external_id}.`
          const missing = application.currentlyDue.filter((path) => path.startsWith(prefix)).length
          const name = person.full_name ?? person.email
          return (
            <li key={person.external_id}>
              <div>
                <strong>{name}</strong>
                <p class="quiet">
                  {[
                    ...(person.roles ?? []).map((role) => optionOf(t, role)),
                    ...(person.stake_in_company
                      ? [t('owners.stake', { stake: person.stake_in_company })]
                      : []),
                  ].join(', ')}
                </p>
                {missing > 0 ? <p class="status">{t('status.missing', { missing })}</p> : null}
              </div>
              <a href={`${base}/owners/${person.external_id}`}>{t('owners.change', { name })}</a>
            </li>
          )
        })}
      </ul>
      <p>
        <a class="button second" href={`${base}/owners/new`}>
          {t('owners.add')}
        </a>
      </p>
    </>
  )
}

const REQUIRED_OF_PERSONS = ['full_name', 'email', 'roles', 'stake_in_company']

/** `person` is null for somebody new. */
export function OwnerForm({
  visit,
  person,
  problems = [],
  typed = {},
}: FormPage & { person: Beneficiary | null }) {
  const { frame, base, csrf } = visit
  const { t } = frame
  const id = person?.external_id ?? 'new'
  const prefix = `beneficiaries.beneficiaries_list.${id}.`
  const { email, ...others } = PERSON_FIELDS
  // By the e-mail the person is known: who has it another way is another person.
  const fields = person ? others : { ...PERSON_FIELDS }
  const title = t(person ? 'owners.edit.title' : 'owners.new.title')
  return (
    <Page frame={frame} title={title} back={`${base}/beneficiaries`} problems={problems}>
      {person ? <p class="quiet">{person.email}</p> : null}
      <SaveForm visit={visit}>
        <FieldList
          visit={visit}
          prefix={prefix}
          fields={fields}
          values={person ?? {}}
          required={(field) => REQUIRED_OF_PERSONS.includes(field)}
          problems={problems}
          typed={typed}
        />
      </SaveForm>
      {person ? (
        <>
          <Documents
            visit={visit}
            lists={PERSON_DOCUMENTS.map((field) => ({
              path: `${prefix}${field}`,
              field,
              action: `${base}/owners/${id}/files/${field}`,
              ids: filesIn(person, field),
              required: field === 'beneficiary_identification',
            }))}
          />
          <form method="post" action={`${base}/owners/${id}/remove`}>
            <input type="hidden" name="_csrf" value={csrf} />
            <button type="submit" class="second">
              {t('owners.remove', { name: person.full_name ?? person.email })}
            </button>
          </form>
        </>
      ) : null}
    </Page>
  )
}

export function Check({ visit, problems = [] }: FormPage) {
  const { frame, application, base, csrf } = visit
  const { t } = frame
  const due = application.currentlyDue
  return (
    <Page frame={frame} title={t('check.title')} back={base} problems={problems}>
      {due.length > 0 ? (
        <div class="notice">
          <h2>{t('check.missing')}</h2>
          <ul>
            {due.map((path) => (
              <li key={path}>
                <a href={hrefOf(base, path)}>{labelOfPath(visit, path)}</a>
              </li>
            ))}
          </ul>
          <p>{t('check.incomplete')}</p>
        </div>
      ) : null}
      <Summary visit={visit} />
      {due.length > 0 ? null : (
        <form method="post">
          <input type="hidden" name="_csrf" value={csrf} />
          <button type="submit">{t('check.send')}</button>
        </form>
      )}
    </Page>
  )
}

/** A person's field is told with the person's name. */
function labelOfPath({ frame: { t }, application }: Visit, path: string): string {
  const [, field = path, personId, personField] = path.split('.')
  const person = application.content.beneficiaries.beneficiaries_list.find(
    ({ external_id }) => external_id === personId,
  )
  return person && personField
    ? `${person.full_name ?? person.email}: ${labelOf(t, personField)}`
    : labelOf(t, field)
}

/** Everything that was entered; while it can be changed, with links to where. */
function Summary({ visit }: { visit: Visit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const isOpen = application.state.status === 'open'
  return (
    <>
      {SECTION_PAGES.map((page) => (
        <section key={page} class="card" aria-labelledby={`${page}-title`}>
          <div class="title">
            <h2 id={`${page}-title`}>{t(`section.${page}`)}</h2>
            {isOpen ? (
              <a href={`${base}/${page}`}>{t('check.change', { label: t(`section.${page}`) })}</a>
            ) : null}
          </div>
          <dl>
            {Object.entries(KYB_FIELDS[page as Section]).map(([field, kind]) => (
              <div key={field}>
                <dt>{labelOf(t, field)}</dt>
                <dd>
                  <Shown
                    frame={frame}
                    kind={kind}
                    value={(application.content[page] as Record<string, unknown>)[field]}
                    files={application.files}
                  />
                </dd>
              </div>
            ))}
            {page === 'beneficiaries'
              ? application.content.beneficiaries.beneficiaries_list.map((person) => (
                  <div key={person.external_id}>
                    <dt>{person.full_name ?? person.email}</dt>
                    <dd>{(person.roles ?? []).map((role) => optionOf(t, role)).join(', ')}</dd>
                  </div>
                ))
              : null}
          </dl>
        </section>
      ))}
    </>
  )
}

interface ShownProps {
  readonly frame: Frame
  readonly kind: Parameters<typeof Field>[0]['kind']
  readonly value: unknown
  readonly files: ReadonlyMap<string, string>
}

function Shown({ frame: { t, language }, kind, value, files }: ShownProps) {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty) return <span class="quiet">{t('check.notGiven')}</span>
  if (kind === 'boolean') return <>{t(value ? 'page.yes' : 'page.no')}</>
  if (kind === 'files') return <>{(value as readonly string[]).map((id) => files.get(id) ?? '').join(', ')}</>
  if (kind === 'country')
    return <>{COUNTRIES[language].find(({ option }) => option === value)?.label ?? String(value)}</>
  if (kind === 'date')
    return (
      <>
        {new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(
          new Date(`${value}T00:00:00Z`),
        )}
      </>
    )
  if (typeof kind === 'object')
    return (
      <>
        {[value]
          .flat()
          .map((each) => optionOf(t, String(each)))
          .join(', ')}
      </>
    )
  return <>{String(value)}</>
}

/** What happens next, or how it ended. */
export function Done({ visit }: FormPage) {
  const { frame, application, base } = visit
  const { t, vaultName } = frame
  const { status } = application.state
  const outcome = application.review?.outcome
  const isSent = status === 'open'
  const title = isSent
    ? 'done.sent.title'
    : status === 'abandoned'
      ? 'done.abandoned.title'
      : outcome === 'approved'
        ? 'done.approved.title'
        : 'done.rejected.title'
  return (
    <Page frame={frame} title={t(title)} {...(isSent && { back: base })}>
      {isSent ? (
        <>
          <p role="status">{t('done.sent.text', { vault: vaultName ?? '' })}</p>
          <p class="quiet">{t('done.sent.change')}</p>
        </>
      ) : null}
      {application.review?.clientComment && !isSent ? (
        <div class="notice">
          <h2>{t('done.comment')}</h2>
          <p>{application.review.clientComment}</p>
        </div>
      ) : null}
      {isSent ? null : <Summary visit={visit} />}
    </Page>
  )
}
