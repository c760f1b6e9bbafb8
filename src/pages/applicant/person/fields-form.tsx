/** Page: a person enters their details or those of the identity document. */
import { PERSON_FIELDS, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { countryOf } from '../../../domain/identification/profile.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { labelOf } from '../../components/fields.tsx'
import { FieldList, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { Gap } from '../gap.tsx'
import { StepPage } from './page.tsx'
import { commentOn, isEmptyPage, missingOn, type PersonVisit, replyAt } from './visit.ts'

export type FieldsPage = keyof typeof PERSON_FIELDS
export const isFieldsPage = (page: string): page is FieldsPage => Object.hasOwn(PERSON_FIELDS, page)

const PAIRS = { name: 'equal', postal_code: 'short' } as const satisfies Partial<
  Record<keyof typeof PERSON_FIELDS.details, string>
>

/** The group of each field. */
const GROUPS = {
  name: 'you',
  surname: 'you',
  birthdate: 'you',
  nationality: 'you',
  address: 'address',
  postal_code: 'address',
  city: 'address',
  address_country: 'address',
  email: 'contact',
  phone: 'contact',
} as const satisfies Record<keyof typeof PERSON_FIELDS.details, string>

const fieldsIn = (group: string) =>
  Object.fromEntries(
    Object.entries(PERSON_FIELDS.details).filter(([name]) => GROUPS[name as keyof typeof GROUPS] === group),
  )

/** The groups of the personal details, in the order of their fields. */
const DETAILS = [
  { name: 'you', icon: 'user', title: 'person.you', fields: fieldsIn('you') },
  { name: 'address', icon: 'map-pin', title: 'group.address', fields: fieldsIn('address') },
  { name: 'contact', icon: 'mail', title: 'person.contact', fields: fieldsIn('contact') },
] as const

export function FieldsForm({
  visit,
  page,
  problems = [],
  typed = {},
}: RefusedForm & { visit: PersonVisit; page: FieldsPage }) {
  const { frame, base, identification } = visit
  const { t } = frame
  const required = requiredOfApplicant(identification.profile)
  const missing = missingOn(visit, page)
  const [first] = isEmptyPage(visit, page) ? [] : missing
  const list = {
    frame,
    prefix: '',
    values: identification.profile,
    required: (field: string) => required.includes(field),
    commentOn: commentOn(visit),
    replyAt: replyAt(visit),
    problems,
    typed,
    pairs: PAIRS,
    country: countryOf(identification.profile) ?? undefined,
  }
  return (
    <StepPage
      visit={visit}
      current={page}
      tools={<SaveStatus frame={frame} />}
      title={t(`person.${page}`)}
      lead={t(`person.${page}.text`)}
      problems={problems}
    >
      {first === undefined || problems.length > 0 ? null : (
        <Gap frame={frame} place={first} label={labelOf(t, first)} count={missing.length} />
      )}
      <SaveForm
        visit={visit}
        action={`${base}/${page}`}
        class="flow"
        end={
          <div class="dock">
            <Button>{t('section.save')}</Button>
          </div>
        }
      >
        {page === 'details' ? (
          DETAILS.map(({ name, icon, title, fields }) => (
            <Card key={name} id={`group-${name}`} icon={icon} title={t(title)}>
              <FieldList {...list} fields={fields} />
            </Card>
          ))
        ) : (
          <div class="card card-body">
            <FieldList {...list} fields={PERSON_FIELDS[page]} />
          </div>
        )}
      </SaveForm>
    </StepPage>
  )
}
