/** Page: a person checks their details and photos before submission. */
import type { ComponentProps } from 'preact'
import type { Facts } from '../../../domain/fields/condition.ts'
import type { Fields } from '../../../domain/fields/field.ts'
import {
  factsOfApplicant,
  filesIn,
  isPersonFile,
  valuesOf,
} from '../../../domain/identification/person-form.ts'
import { factsOfPerson, fieldsAtLink, personValues } from '../../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { AskedAtLink } from '../../../use-cases/applicant/person-form.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { labelOf } from '../../components/fields.tsx'
import { PostForm, type RefusedForm } from '../../components/form.tsx'
import { ChangeLink, MissingValue, Values } from '../../components/values.tsx'
import { dayText } from '../../values/dates.ts'
import { askedOrGiven, isEmpty } from '../../values/form-values.ts'
import { missingText } from '../base/due.ts'
import { findingsOf, Replies } from '../base/reply.tsx'
import { type DueField, LockedSubmission, type OpenFinding, StillDue } from '../base/still-due.tsx'
import type { FieldsPage } from './fields-form.tsx'
import { isInStep, STEPS, type Step, StepPage } from './page.tsx'
import { StoredPhoto } from './photo.tsx'
import {
  commentOn,
  dueOf,
  fixesOf,
  hasConsented,
  hrefOf,
  isOpen,
  type PersonVisit,
  pageOf,
  pagesOf,
  photoOf,
  titleOf,
} from './visit.ts'

export function Check({ visit, problems = [], typed = {} }: RefusedForm & { visit: PersonVisit }) {
  const { frame, base } = visit
  const { t } = frame
  const open = openFindings(visit)
  const missing = dueOf(visit).filter((field) => !open.some(({ path }) => path === field))
  const fixes = fixesOf(visit)
  const send = t(fixes === null ? 'person.send' : 'check.sendAgain')
  return (
    <StepPage
      visit={visit}
      current="check"
      title={t('check.title')}
      lead={
        open.length + missing.length > 0 ? null : t('person.check.text', { vault: frame.vaultName ?? '' })
      }
      printTitle={t('check.submitted')}
      problems={problems}
    >
      <StillDue
        visit={visit}
        corrected={open}
        missing={missingSteps(visit, missing)}
        problems={problems}
        typed={typed}
      />
      <Replies
        visit={visit}
        replies={visit.identification.review?.replies ?? []}
        labelOf={({ path }) => labelOf(t, path)}
        problems={problems}
        typed={typed}
      />
      <Summary visit={visit} missing={missing} />
      {open.length + missing.length > 0 ? (
        <LockedSubmission frame={frame} label={send} changes={fixes} />
      ) : (
        <PostForm visit={visit} action={`${base}/check`} class="flow">
          <div class="dock">
            <Button>{send}</Button>
          </div>
        </PostForm>
      )}
    </StepPage>
  )
}

interface SummaryProps {
  readonly visit: PersonVisit
  readonly missing: readonly string[]
}

/** Lists all entries. They have links to change them while the verification waits on the applicant. */
export const Summary = ({ visit, missing }: SummaryProps) => (
  <>
    <Details visit={visit} page="details" missing={missing} />
    {visit.atLink ? <LinkDetails visit={visit} atLink={visit.atLink} missing={missing} /> : null}
    <Details visit={visit} page="document" missing={missing} />
    <Photos visit={visit} missing={missing} />
    <Consent visit={visit} />
  </>
)

/** Links to the page on which the applicant changes an entry, while it can be changed. */
function Change({
  visit,
  page,
  ...props
}: Omit<ComponentProps<typeof ChangeLink>, 'frame' | 'href'> & { visit: PersonVisit; page: string }) {
  if (!isOpen(visit)) return null
  return <ChangeLink frame={visit.frame} href={`${visit.base}/${page}`} {...props} />
}

/** Returns a line for each step with missing details, which leads to the first of them. */
const missingSteps = (visit: PersonVisit, missing: readonly string[]): DueField[] =>
  (Object.keys(STEPS) as Step[]).flatMap((step) => {
    const { t } = visit.frame
    const fields = missing.filter((field) => isInStep(step, pageOf(visit, field)))
    const [first] = fields
    if (first === undefined) return []
    const label = t('check.step', { step: t(`person.${step}`), count: fields.length })
    const photos = fields.filter((field) => isPersonFile(field, visit.form)).length
    const count = { answers: fields.length - photos, photos }
    return [{ href: hrefOf(visit, first), label, why: null, count }]
  })

/** Returns the findings that the applicant has not answered, without duplicates. */
export function openFindings(visit: PersonVisit): OpenFinding[] {
  const due = dueOf(visit)
  return findingsOf(visit.identification.review?.corrections ?? [])
    .filter(({ path }) => due.includes(path))
    .map((finding) => ({
      ...finding,
      href: hrefOf(visit, finding.path),
      label: labelOf(visit.frame.t, finding.path),
      why: commentOn(visit)(finding.path),
    }))
}

interface DetailsProps extends SummaryProps {
  readonly page: FieldsPage
}

function Details({ visit, page, ...props }: DetailsProps) {
  const { identification, form } = visit
  const { profile } = identification
  return (
    <DetailsCard
      {...props}
      visit={visit}
      page={page}
      fields={form[page]}
      values={valuesOf(profile, form)}
      facts={factsOfApplicant(profile, form)}
    />
  )
}

interface LinkDetailsProps extends Omit<DetailsProps, 'page'> {
  readonly atLink: AskedAtLink
}

function LinkDetails({ atLink: { application, person }, ...props }: LinkDetailsProps) {
  const { form, content } = application
  const byPath = <V,>(values: Readonly<Record<string, V>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [beneficiaryPath(person.external_id, name), value]),
    )
  return (
    <DetailsCard
      {...props}
      page="link"
      fields={byPath(fieldsAtLink(form))}
      values={byPath(personValues(form, person))}
      facts={factsOfPerson(form, content, person)}
    />
  )
}

interface DetailsCardProps extends Omit<DetailsProps, 'page'> {
  readonly page: FieldsPage | 'link'
  readonly fields: Fields
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: Facts
}

/** Shows the values of a page. A page without any value has one line. */
function DetailsCard({ visit, page, missing, fields: all, values, facts }: DetailsCardProps) {
  const { frame } = visit
  const { t } = frame
  const fields = askedOrGiven(all, values, facts)
  const isNew = Object.keys(fields).every((name) => isEmpty(values[name]))
  const answers = Object.keys(fields).filter((name) => missing.includes(name)).length
  return (
    <Card
      id={`${page}-title`}
      icon={page === 'document' ? 'id-card' : 'user'}
      title={t(`person.${page}`)}
      end={<Change visit={visit} page={page} label={t(`person.${page}`)} isNew={isNew} />}
    >
      {isNew && answers > 0 ? (
        <MissingValue frame={frame} text={missingText(frame, { answers })} />
      ) : (
        <Values
          frame={frame}
          fields={fields}
          values={values}
          files={new Map()}
          missing={new Set(missing)}
          hrefOf={(name) => hrefOf(visit, name)}
        />
      )}
    </Card>
  )
}

function Consent({ visit }: { visit: PersonVisit }) {
  const { frame, identification } = visit
  const { t } = frame
  const { consented_at } = identification.profile
  if (!hasConsented(visit) || !consented_at) return null
  return (
    <Card
      id="consent-title"
      icon="shield-check"
      title={t('person.consent')}
      end={<Change visit={visit} page="consent" label={t('person.consent')} />}
    >
      <dl class="values">
        <div>
          <dt>{t('check.consented')}</dt>
          <dd>{dayText(frame, new Date(consented_at))}</dd>
        </div>
      </dl>
    </Card>
  )
}

function Photos({ visit, missing }: { visit: PersonVisit; missing: readonly string[] }) {
  const { frame } = visit
  const { t } = frame
  const pages = pagesOf(visit)
  const attributes = filesIn(visit.form).filter((attribute) => pages.includes(attribute))
  const [first] = attributes
  if (first !== undefined && attributes.every((attribute) => missing.includes(attribute)))
    return (
      <Card
        id="pictures-title"
        icon="camera"
        title={t('person.pictures')}
        end={<Change visit={visit} page={first} label={t('person.pictures')} isNew />}
      >
        <MissingValue frame={frame} text={missingText(frame, { photos: attributes.length })} />
      </Card>
    )
  return (
    <Card id="pictures-title" icon="camera" title={t('person.pictures')}>
      <ul class="list photos">
        {attributes.map((attribute) => {
          const picture = photoOf(visit, attribute)
          return (
            <li key={attribute}>
              {picture && (picture.isShown || !missing.includes(attribute)) ? (
                <StoredPhoto visit={visit} photo={picture} alt="" />
              ) : (
                <span class="photo photo-name">
                  {missing.includes(attribute) ? <MissingValue frame={frame} /> : t('check.notGiven')}
                </span>
              )}
              <strong>{titleOf(visit, attribute)}</strong>
              <Change
                visit={visit}
                page={attribute}
                label={titleOf(visit, attribute)}
                isNew={picture === null}
              />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
