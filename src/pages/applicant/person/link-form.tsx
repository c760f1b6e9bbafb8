/** Page: a beneficiary fills in the fields of the company's application for which pages ask at the link. */
import type { Request, Response } from 'express'
import { patchKybBody } from '../../../contracts/kyb-application.ts'
import { additionalOf } from '../../../contracts/kyb-sections.ts'
import { factsWith } from '../../../domain/fields/condition.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import { factsOfPerson, fieldsAtLink, personValues } from '../../../domain/kyb/form.ts'
import { beneficiaryPath } from '../../../domain/kyb/requirements.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { type AskedAtLink, fillInAtLink } from '../../../use-cases/applicant/person-form.ts'
import { FieldList, type RefusedForm } from '../../components/form.tsx'
import { collectProblems } from '../../routing/refusals.ts'
import { leaveAddress } from '../base/leave.tsx'
import { save } from '../base/save.tsx'
import { patchOwner } from '../company/save.tsx'
import { FormStep } from './form-step.tsx'
import type { PersonVisit } from './visit.ts'

type Values = Readonly<Record<string, unknown>>

interface LinkFormProps extends RefusedForm {
  readonly visit: PersonVisit
  readonly atLink: AskedAtLink
}

export function LinkForm({ visit, atLink, problems = [], typed = {} }: LinkFormProps) {
  const { application, person } = atLink
  const { form, content } = application
  const fields = fieldsAtLink(form)
  const prefix = beneficiaryPath(person.external_id, '')
  const required = requiredOfBeneficiary(application, person)
  return (
    <FormStep visit={visit} page="link" problems={problems}>
      <div class="card card-body">
        <FieldList
          frame={visit.frame}
          prefix={prefix}
          fields={fields}
          values={personValues(form, person)}
          answers={{
            facts: factsWith(factsOfPerson(form, content, person), typed, prefix),
            inputOf: (name) => (Object.hasOwn(fields, name) ? prefix + name : null),
          }}
          required={(name) => required.includes(name)}
          commentOn={() => null}
          problems={problems}
          typed={typed}
        />
      </div>
    </FormStep>
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
  const { form, content } = application
  const { external_id } = person
  const patchOf = (values: Values) => patchOwner({ ...values, external_id })
  return save(visit, req, res, {
    prefix: beneficiaryPath(external_id, ''),
    fields: fieldsAtLink(form),
    facts: factsOfPerson(form, content, person),
    stored: personValues(form, person),
    bodyOf: patchOf,
    schema: patchKybBody.pipe(additionalOf(form)),
    apply: (values) => collectProblems(() => fillInAtLink(deps, visit, visit, patchOf(values))),
    showAgain: (problems, typed) => (
      <LinkForm visit={visit} atLink={atLink} problems={problems} typed={typed} />
    ),
    next: () => leaveAddress(visit, req) ?? `${visit.base}/next/link`,
  })
}
