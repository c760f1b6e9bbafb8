/** Page: a person enters their details or those of the identity document. */
import type { Fields } from '../../../domain/fields/field.ts'
import {
  factsOfApplicant,
  PERSON_FIELDS,
  requiredOfApplicant,
  valuesOf,
} from '../../../domain/identification/person-form.ts'
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

const isGroup = (name: string | undefined): name is 'you' | 'address' | 'contact' =>
  DETAILS.some((each) => each.name === name)

/** Returns the fields of a group. Added fields belong to the group that they name, or to the first one. */
const fieldsIn = (fields: Fields, group: string): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, field]) => {
      const own = (GROUPS as Readonly<Record<string, string>>)[name] ?? field.group
      return (isGroup(own) ? own : 'you') === group
    }),
  )

/** The groups of the personal details, in the order of their fields. */
const DETAILS = [
  { name: 'you', icon: 'user', title: 'person.you' },
  { name: 'address', icon: 'map-pin', title: 'group.address' },
  { name: 'contact', icon: 'mail', title: 'person.contact' },
] as const

export function FieldsForm({
  visit,
  page,
  problems = [],
  typed = {},
}: RefusedForm & { visit: PersonVisit; page: FieldsPage }) {
  const { frame, base, identification, form } = visit
  const { t } = frame
  const { profile } = identification
  const required = requiredOfApplicant(profile, form)
  const facts = factsOfApplicant(profile, form)
  const missing = missingOn(visit, page)
  const [first] = isEmptyPage(visit, page) ? [] : missing
  const list = {
    frame,
    prefix: '',
    values: valuesOf(profile, form),
    answers: {
      facts: { ...facts, valueAt: (name: string) => (name in typed ? typed[name] : facts.valueAt(name)) },
      inputOf: (name: string) => (Object.hasOwn(form[page], name) ? name : null),
    },
    required: (field: string) => required.includes(field),
    commentOn: commentOn(visit),
    replyAt: replyAt(visit),
    problems,
    typed,
    pairs: PAIRS,
    country: countryOf(profile) ?? undefined,
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
          DETAILS.map(({ name, icon, title }) => (
            <Card key={name} id={`group-${name}`} icon={icon} title={t(title)}>
              <FieldList {...list} fields={fieldsIn(form.details, name)} />
            </Card>
          ))
        ) : (
          <div class="card card-body">
            <FieldList {...list} fields={form[page]} />
          </div>
        )}
      </SaveForm>
    </StepPage>
  )
}
