/** Owners and directors: the list, and the form of one. */
import type { Beneficiary } from '../../domain/kyb-fields.ts'
import { optionOf } from '../fields.tsx'
import { Page } from '../layout.tsx'
import type { Visit } from '../visit.ts'
import { Documents } from './documents.tsx'
import { commentOn, FieldList, type FormPage, SaveForm } from './form.tsx'
import { filesIn, PERSON_DOCUMENTS, PERSON_FIELDS } from './sections.ts'

export function Owners({ visit }: { visit: Visit }) {
  const { frame, application, base } = visit
  const { t } = frame
  const people = application.content.beneficiaries.beneficiaries_list
  const comment = commentOn(visit, 'beneficiaries.beneficiaries_list')
  return (
    <>
      {comment ? <p class="comment">{comment}</p> : null}
      {people.length === 0 ? (
        <p class="quiet" id="beneficiaries.beneficiaries_list">
          {t('owners.none')}
        </p>
      ) : null}
      <ul class="people">
        {people.map((person) => {
          const prefix = `beneficiaries.beneficiaries_list.${person.external_id}.`
          const missing = application.currentlyDue.filter((path) => path.startsWith(prefix)).length
          const isWrong = application.corrections.some(({ path }) => `${path}.`.startsWith(prefix))
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
                {isWrong ? <p class="status bad">{t('status.problem')}</p> : null}
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

/** Of everybody; the share is of owners alone. */
const REQUIRED_OF_PERSONS = ['full_name', 'email', 'roles']

/** `person` is null for somebody new. */
export function OwnerForm({
  visit,
  person,
  problems = [],
  typed = {},
}: FormPage & { person: Beneficiary | null }) {
  const { frame, base, application } = visit
  const { t } = frame
  const id = person?.external_id ?? 'new'
  const prefix = `beneficiaries.beneficiaries_list.${id}.`
  const { email, ...others } = PERSON_FIELDS
  // By the e-mail the person is known: who has it another way is another person.
  const fields = person ? others : { ...PERSON_FIELDS }
  const comment = commentOn(visit, prefix.slice(0, -1))
  const title = t(person ? 'owners.edit.title' : 'owners.new.title')
  return (
    <Page frame={frame} title={title} back={`${base}/beneficiaries`} problems={problems}>
      {person ? <p class="quiet">{person.email}</p> : null}
      {comment ? <p class="comment">{comment}</p> : null}
      <SaveForm visit={visit} action={`${base}/owners/${id}`}>
        <FieldList
          visit={visit}
          prefix={prefix}
          fields={fields}
          values={person ?? {}}
          required={(field) =>
            REQUIRED_OF_PERSONS.includes(field) ||
            (field === 'stake_in_company' && person?.roles?.includes('ubo') === true)
          }
          problems={problems}
          typed={typed}
        />
      </SaveForm>
      {person ? (
        <>
          <Documents
            visit={visit}
            problems={problems}
            lists={PERSON_DOCUMENTS.map((field) => ({
              path: `${prefix}${field}`,
              field,
              action: `${base}/owners/${id}/files/${field}`,
              ids: filesIn(person, field),
              required: field === 'beneficiary_identification' && !application.verified.has(id),
            }))}
          />
          <p>
            <a href={`${base}/owners/${id}/remove`}>
              {t('owners.remove', { name: person.full_name ?? person.email })}
            </a>
          </p>
        </>
      ) : null}
    </Page>
  )
}

/** Asks once more. */
export function RemoveOwner({ visit, person, problems = [] }: FormPage & { person: Beneficiary }) {
  const { frame, base, csrf } = visit
  const { t } = frame
  const name = person.full_name ?? person.email
  const back = `${base}/owners/${person.external_id}`
  return (
    <Page frame={frame} title={t('owners.remove.title', { name })} back={back} problems={problems}>
      <p>{t('owners.remove.text')}</p>
      <form method="post">
        <input type="hidden" name="_csrf" value={csrf} />
        <button type="submit">{t('owners.remove', { name })}</button>
      </form>
    </Page>
  )
}
