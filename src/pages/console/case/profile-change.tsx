/** Component: moves a case to a later version of its vault's profile, from the page of the case. */
import { v5 as idFrom } from 'uuid'
import type { Later } from '../../../domain/decision/profile-change.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { byOf } from '../../../http/address.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { changeProfile } from '../../../use-cases/case/decision.ts'
import { PlainButton } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Sent } from '../../values/form-values.ts'
import { type CaseForm, runCaseForm } from './form.ts'
import type { CaseView } from './view.tsx'

interface ProfileMoveProps extends Pick<CaseView, 'visit' | 'mayDecide' | 'base'> {
  readonly later: readonly Later<{ readonly version: number }>[] | undefined
}

/** Offers the newest version. Shows nothing if there is no later one, or if the operator may not decide. */
export function ProfileMove({ visit, mayDecide, base, later }: ProfileMoveProps) {
  const newest = later?.at(-1)
  if (!newest || !mayDecide) return null
  const { version } = newest.form
  return (
    <PostForm visit={visit} action={`${base}/profile`}>
      <PlainButton name="profile_version" value={version}>
        <Icon name="list-checks" />
        {visit.frame.t('console.profile.change', { version })}
      </PlainButton>
    </PostForm>
  )
}

/** Moves the case. A form that is sent twice moves it once. */
export function changeProfileFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req } = form
  const version = Number(((req.body ?? {}) as Sent).profile_version)
  const effect = formEffect(deps, idFrom(`profile ${version}`, target.id))
  const move = () => changeProfile(deps, visit, byOf(visit, req), target, version, effect)
  return runCaseForm(form, move, { typed: {}, place: 'timeline-title', done: 'profileChanged' })
}
