/** Page: the details of an owner or director, and the confirmation before a person is removed. */
import { factsWith } from '../../../domain/fields/condition.ts'
import type { Fields } from '../../../domain/fields/field.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import { factsOfPerson, personValues } from '../../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { FieldList, PostForm, type RefusedForm, SaveForm } from '../../components/form.tsx'
import { RestOfForm } from '../base/revision-list.tsx'
import { countFixes, FormEnd, fixBoxOf, splitForm } from './fix-box.tsx'
import { sharesError } from './owners.tsx'
import { CompanyPage, SECTION_FORM } from './page.tsx'
import { nameOf, ownerFields, ownersOf } from './sections.ts'
import { type CompanyVisit, commentOn } from './visit.ts'

/** Returns who must be added, before the first person, and whether the person receives an email. */
const newOwnerText = ({ frame: { t, vaultName }, application, sendsEmails }: CompanyVisit): string | null =>
  [
    ownersOf(application).length === 0 ? t('section.beneficiaries.text') : '',
    sendsEmails ? t('owners.new.emails', { vault: vaultName ?? '' }) : '',
  ]
    .filter(Boolean)
    .join(' ') || null

/** Shows the form. `person` is null for a new person. */
export function OwnerForm({
  visit,
  person,
  problems = [],
  typed: sent = {},
}: RefusedForm & { visit: CompanyVisit; person: Beneficiary | null }) {
  const { frame, base, application } = visit
  const { t } = frame
  const id = person?.external_id ?? 'new'
  const prefix = beneficiaryPath(id, '')
  const comment = commentOn(visit)(prefix.slice(0, -1))
  // Most companies have an owner, so the form proposes this role for the first person.
  const proposed = person === null && ownersOf(application).length === 0 ? { roles: ['ubo' as const] } : {}
  const typed = { ...('roles' in proposed && { [`${prefix}roles`]: proposed.roles }), ...sent }
  const required = requiredOfBeneficiary(application, { external_id: id, ...proposed, ...person })
  const values = person ? personValues(application.form, person) : {}
  const share = `${prefix}stake_in_company`
  const overText = person?.stake_in_company ? sharesError(visit) : null
  // A total of more than 100% can be saved, so this error appears only next to the field.
  const shown = overText === null ? problems : [...problems, { field: share, message: overText }]
  const asked = ownerFields(application)
  const facts = factsOfPerson(application.form, application.content, person ?? {})
  const split = splitForm(visit, { fields: asked, prefix, problems: shown })
  const fixes = countFixes(
    visit,
    Object.keys(asked).map((name) => `${prefix}${name}`),
  )
  const listOf = (fields: Fields) => (
    <FieldList
      frame={frame}
      prefix={prefix}
      fields={fields}
      values={values}
      answers={{
        facts: factsWith(facts, typed, prefix),
        inputOf: (name) => (Object.hasOwn(asked, name) ? `${prefix}${name}` : null),
      }}
      required={(name) => name === 'email' || required.includes(name)}
      commentOn={commentOn(visit)}
      problems={shown}
      typed={typed}
      box={fixBoxOf(visit, fixes)}
    />
  )
  return (
    <CompanyPage
      visit={visit}
      title={person ? nameOf(person) : t('owners.new.title')}
      lead={person ? null : newOwnerText(visit)}
      current="beneficiaries"
      back={`${base}/beneficiaries`}
      problems={problems}
      hasForm
    >
      {comment ? <p class="comment">{comment}</p> : null}
      <SaveForm
        visit={visit}
        id={SECTION_FORM}
        action={`${base}/owners/${id}`}
        autosave={person !== null}
        end={
          <FormEnd frame={frame} fixes={fixes}>
            <ButtonLink kind="quiet" href={`${base}/beneficiaries`}>
              {t('owners.back')}
            </ButtonLink>
            {person ? (
              <ButtonLink kind="quiet" icon="trash-2" href={`${base}/owners/${id}/remove`}>
                {t('owners.remove', { name: nameOf(person) })}
              </ButtonLink>
            ) : null}
          </FormEnd>
        }
      >
        {split ? (
          <>
            <div class="fields">{listOf(split.open)}</div>
            <RestOfForm frame={frame}>
              <div class="card-body fields">{listOf(split.rest)}</div>
            </RestOfForm>
          </>
        ) : (
          <div class="card card-body fields">{listOf(asked)}</div>
        )}
      </SaveForm>
    </CompanyPage>
  )
}

export function RemoveOwner(props: RefusedForm & { visit: CompanyVisit; person: Beneficiary }) {
  const { visit, person, problems = [] } = props
  const { frame, base } = visit
  const { t } = frame
  const name = nameOf(person)
  const back = `${base}/beneficiaries`
  return (
    <CompanyPage
      visit={visit}
      title={t('owners.remove.title', { name })}
      lead={t('owners.remove.text')}
      current="beneficiaries"
      back={back}
      problems={problems}
    >
      <PostForm visit={visit} class="actions" action={`${base}/owners/${person.external_id}/remove`}>
        <Button kind="danger" icon="trash-2">
          {t('owners.remove', { name })}
        </Button>
        <ButtonLink kind="quiet" href={back}>
          {t('owners.keep')}
        </ButtonLink>
      </PostForm>
    </CompanyPage>
  )
}
