/** Component: the page of a form of a person's verification. Names the first missing answer of a form that is begun. */
import type { ComponentChildren } from 'preact'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { SaveForm, SaveStatus } from '../../components/form.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { Gap } from '../base/gap.tsx'
import { StepPage } from './page.tsx'
import { correctedOn, isEmptyPage, missingOn, type PersonVisit } from './visit.ts'

const FORM = 'step-form'

interface FormStepProps {
  readonly visit: PersonVisit
  readonly page: 'details' | 'document' | 'link'
  readonly problems: readonly FieldProblem[]
  readonly children: ComponentChildren
}

export function FormStep({ visit, page, problems, children }: FormStepProps) {
  const { frame, base } = visit
  const { t } = frame
  const missing = missingOn(visit, page)
  const fixes = correctedOn(visit, page).length
  const [first] = isEmptyPage(visit, page) || problems.length > 0 ? [] : missing
  return (
    <StepPage
      visit={visit}
      current={page}
      form={FORM}
      tools={<SaveStatus frame={frame} />}
      title={t(`person.${page}`)}
      lead={fixes > 0 ? null : t(`person.${page}.text`)}
      problems={problems}
    >
      {first === undefined ? null : (
        <Gap frame={frame} place={first} label={labelOf(t, first)} answers={missing.length} />
      )}
      <SaveForm
        visit={visit}
        id={FORM}
        action={`${base}/${page}`}
        end={
          <div class="dock">
            <Button>
              {t(fixes === 0 ? 'section.save' : fixes === 1 ? 'revision.save' : 'revision.saveAll')}
            </Button>
          </div>
        }
      >
        {children}
      </SaveForm>
    </StepPage>
  )
}
