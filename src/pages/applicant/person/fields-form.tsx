/** Page: a person enters their details or those of the identity document. */
import { factsWith } from '../../../domain/fields/condition.ts'
import type { Fields } from '../../../domain/fields/field.ts'
import {
  factsOfApplicant,
  PERSON_FIELDS,
  requiredOfApplicant,
  valuesOf,
} from '../../../domain/identification/person-form.ts'
import { countryOf } from '../../../domain/identification/profile.ts'
import { Card } from '../../components/card.tsx'
import { FieldList, type RefusedForm } from '../../components/form.tsx'
import { CommentSource } from '../base/review-comment.tsx'
import { RestOfForm, splitFields } from '../base/revision-list.tsx'
import { FormStep } from './form-step.tsx'
import {
  commentOn,
  correctedOn,
  correctionsOf,
  dueOn,
  type PersonVisit,
  replyAt,
  requestedAt,
} from './visit.ts'

export type FieldsPage = keyof typeof PERSON_FIELDS
export const isFieldsPage = (page: string): page is FieldsPage => Object.hasOwn(PERSON_FIELDS, page)

const PAIRS = { name: 'equal', postal_code: 'short' } as const satisfies Partial<
  Record<keyof typeof PERSON_FIELDS.details, string>
>

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

const DETAILS = [
  { name: 'you', icon: 'user', title: 'person.you' },
  { name: 'address', icon: 'map-pin', title: 'person.address' },
  { name: 'contact', icon: 'mail', title: 'person.contact' },
] as const

export function FieldsForm({
  visit,
  page,
  problems = [],
  typed = {},
}: RefusedForm & { visit: PersonVisit; page: FieldsPage }) {
  const { frame, identification, form } = visit
  const { profile } = identification
  const required = requiredOfApplicant(profile, form)
  const listOf = (fields: Fields) => (
    <FieldList
      frame={frame}
      prefix=""
      fields={fields}
      values={valuesOf(profile, form)}
      answers={{
        facts: factsWith(factsOfApplicant(profile, form), typed),
        inputOf: (name) => (Object.hasOwn(form[page], name) ? name : null),
      }}
      required={(field) => required.includes(field)}
      commentOn={commentOn(visit)}
      replyAt={replyAt(visit)}
      problems={problems}
      typed={typed}
      pairs={PAIRS}
      country={countryOf(profile) ?? undefined}
    />
  )
  const split = splitFields({
    fields: form[page],
    corrected: correctedOn(visit, page),
    due: dueOn(visit, page),
    problems,
  })
  const isQuoted = correctionsOf(visit).some(({ path, message }) => message !== null && path in form[page])
  return (
    <FormStep visit={visit} page={page} problems={problems}>
      {split ? (
        <>
          <div class="card card-body flow">
            {isQuoted ? <CommentSource frame={frame} decidedAt={requestedAt(visit)} /> : null}
            <div>{listOf(split.open)}</div>
          </div>
          <RestOfForm frame={frame}>
            <div class="card-body fields">{listOf(split.rest)}</div>
          </RestOfForm>
        </>
      ) : page === 'details' ? (
        DETAILS.map(({ name, icon, title }) => (
          <Card
            key={name}
            id={`group-${name}`}
            icon={icon}
            title={frame.t(title)}
            text={
              name === 'contact' ? frame.t('person.contact.text', { vault: frame.vaultName ?? '' }) : null
            }
          >
            {listOf(fieldsIn(form.details, name))}
          </Card>
        ))
      ) : (
        <div class="card card-body">{listOf(form[page])}</div>
      )}
    </FormStep>
  )
}
