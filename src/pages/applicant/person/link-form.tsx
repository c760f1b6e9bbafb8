/** Page: a beneficiary fills in the fields of the company's application for which pages ask at the link. */
import type { Request, Response } from 'express'
import { patchKybBody } from '../../../contracts/kyb-application.ts'
import { additionalOf } from '../../../contracts/kyb-sections.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import { factsOfPerson, fieldsAtLink, personValues } from '../../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { type AskedAtLink, fillInAtLink } from '../../../use-cases/applicant/person-form.ts'
import { Button } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { FieldList, type RefusedForm, SaveForm, SaveStatus } from '../../components/form.tsx'
import { collectProblems } from '../../routing/refusals.ts'
import { patchOwner } from '../company/save.tsx'
import { Gap } from '../gap.tsx'
import { limitProblems, save } from '../save.tsx'
import { StepPage } from './page.tsx'
import { isEmptyPage, missingOn, type PersonVisit } from './visit.ts'

type Values = Readonly<Record<string, unknown>>

/** Returns the facts for conditions, of which `values` replaces stored answers. */
function factsWith({ application, person }: AskedAtLink, values: Values) {
  const facts = factsOfPerson(application.form, application.content, person)
  return { ...facts, valueAt: (name: string) => (name in values ? values[name] : facts.valueAt(name)) }
}

interface LinkFormProps extends RefusedForm {
  readonly visit: PersonVisit
  readonly atLink: AskedAtLink
}

export function LinkForm({ visit, atLink, problems = [], typed = {} }: LinkFormProps) {
  const { frame, base } = visit
  const { t } = frame
  const { application, person } = atLink
  const fields = fieldsAtLink(application.form)
  const prefix = beneficiaryPath(person.external_id, '')
  const required = requiredOfBeneficiary(application, person)
  const missing = missingOn(visit, 'link')
  const [first] = isEmptyPage(visit, 'link') ? [] : missing
  const unprefixed = Object.fromEntries(
    Object.entries(typed).map(([path, value]) => [path.slice(prefix.length), value]),
  )
  return (
    <StepPage
      visit={visit}
      current="link"
      tools={<SaveStatus frame={frame} />}
      title={t('person.link')}
      lead={t('person.link.text')}
      problems={problems}
    >
      {first === undefined || problems.length > 0 ? null : (
        <Gap frame={frame} place={first} label={labelOf(t, first)} count={missing.length} />
      )}
      <SaveForm
        visit={visit}
        action={`${base}/link`}
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
            prefix={prefix}
            fields={fields}
            values={personValues(application.form, person)}
            answers={{
              facts: factsWith(atLink, unprefixed),
              inputOf: (name) => (Object.hasOwn(fields, name) ? prefix + name : null),
            }}
            required={(name) => required.includes(name)}
            commentOn={() => null}
            problems={problems}
            typed={typed}
          />
        </div>
      </SaveForm>
    </StepPage>
  )
}

export function saveAtLink(
  deps: RouteDeps,
  visit: PersonVisit,
  atLink: AskedAtLink,
  req: Request,
  res: Response,
): Promise<void> {
  const { application, person } = atLink
  const { external_id } = person
  const about = { fields: fieldsAtLink(application.form), prefix: beneficiaryPath(external_id, '') }
  const patchOf = (values: Values) => patchOwner({ ...values, external_id })
  return save(visit, req, res, {
    ...about,
    stored: personValues(application.form, person),
    bodyOf: patchOf,
    schema: patchKybBody.pipe(additionalOf(application.form)),
    problemsOf: (values) => limitProblems(visit.frame, about, values, factsWith(atLink, values)),
    apply: (values) => collectProblems(() => fillInAtLink(deps, visit, visit, patchOf(values))),
    showAgain: (problems, typed) => (
      <LinkForm visit={visit} atLink={atLink} problems={problems} typed={typed} />
    ),
    next: () => `${visit.base}/next/link`,
  })
}
