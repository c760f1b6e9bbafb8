/** Moves an application to a later version of its vault's profile, from the page of the case. */
import { v5 as idFrom } from 'uuid'
import { formEffect } from '../../use-cases/base/effect.ts'
import { changeProfile } from '../../use-cases/review/profile-change.ts'
import type { Sent } from '../values/form-values.ts'
import { type CaseForm, runCaseForm } from './case-form.ts'

/** Moves the application. A form that is sent twice moves it once. */
export function changeProfileFromForm(form: CaseForm<'kyb'>): Promise<void> {
  const { deps, visit, target, req } = form
  const version = Number(((req.body ?? {}) as Sent).profile_version)
  const effect = formEffect(deps, idFrom(`profile ${version}`, target.id))
  const move = () => changeProfile(deps, visit, target.id, version, effect)
  return runCaseForm(form, move, { typed: {}, place: 'timeline-title', done: 'profileChanged' })
}
