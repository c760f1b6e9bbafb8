/** Page: a person enters their details or those of the identity document. */
import { PERSON_FIELDS, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { labelOf } from '../../components/fields.tsx'
import { FieldList, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { ContinueForm, missingProblems } from '../missing.tsx'
import { commentOn, missingOn, nextPage, type PersonVisit, replyAt } from './visit.ts'

export type FieldsPage = keyof typeof PERSON_FIELDS
export const isFieldsPage = (page: string): page is FieldsPage => Object.hasOwn(PERSON_FIELDS, page)

export function FieldsForm({
  visit,
  page,
  problems: refused = [],
  typed = {},
  isMissing = false,
}: RefusedForm & { visit: PersonVisit; page: FieldsPage; isMissing?: boolean }) {
  const { frame, base, identification } = visit
  const { t } = frame
  const required = requiredOfApplicant(identification.profile)
  const missing = missingProblems(
    (isMissing ? missingOn(visit, page) : []).map((field) => ({
      place: field,
      label: labelOf(t, field),
      why: t('due.missing'),
    })),
  )
  const problems = [...refused, ...missing]
  return (
    <Page
      tools={<SaveStatus frame={frame} />}
      frame={frame}
      title={t(`person.${page}`)}
      back={base}
      problems={problems}
    >
      {missing.length > 0 ? <ContinueForm frame={frame} href={`${base}/${nextPage(visit, page)}`} /> : null}
      <p>{t(`person.${page}.text`)}</p>
      <SaveForm visit={visit} action={`${base}/${page}`}>
        <FieldList
          frame={frame}
          prefix=""
          fields={PERSON_FIELDS[page]}
          values={identification.profile}
          required={(field) => required.includes(field)}
          commentOn={commentOn(visit)}
          replyAt={replyAt(visit)}
          problems={problems}
          typed={typed}
        />
      </SaveForm>
    </Page>
  )
}
