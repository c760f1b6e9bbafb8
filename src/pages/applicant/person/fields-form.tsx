/** Page: a person enters their details or those of the identity document. */
import { PERSON_FIELDS, requiredOfApplicant } from '../../../domain/identification/person-form.ts'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { FieldList, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { ContinueForm, missingProblems } from '../missing.tsx'
import { StepPage } from './page.tsx'
import { commentOn, missingOn, nextPage, type PersonVisit, replyAt } from './visit.ts'

export type FieldsPage = keyof typeof PERSON_FIELDS
export const isFieldsPage = (page: string): page is FieldsPage => Object.hasOwn(PERSON_FIELDS, page)

const BEFORE_PAIR = ['name', 'postal_code'] as const satisfies readonly (keyof typeof PERSON_FIELDS.details)[]

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
    <StepPage
      visit={visit}
      current={page}
      tools={<SaveStatus frame={frame} />}
      title={t(`person.${page}`)}
      lead={t(`person.${page}.text`)}
      problems={problems}
    >
      {missing.length > 0 ? <ContinueForm frame={frame} href={`${base}/${nextPage(visit, page)}`} /> : null}
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
        <div class="card card-body">
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
            beforePair={BEFORE_PAIR}
          />
        </div>
      </SaveForm>
    </StepPage>
  )
}
