/** Component: the holds of an identification, with forms to place and lift internal holds. */
import { v7 as newId } from 'uuid'
import { placeHoldBody } from '../../../contracts/hold.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import { BLOCK_REASONS, INTERNAL_OWNERS, isInternalOwner } from '../../../domain/identification/holds.ts'
import { type HoldWithNotes, MAX_LISTED_HOLDS } from '../../../domain/identification/recorded-hold.ts'
import type { IdentificationUnderReview } from '../../../domain/review/review.ts'
import { newEffect } from '../../../use-cases/base/effect.ts'
import { liftHold, placeHold } from '../../../use-cases/identification/hold.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Sent } from '../../values/form-values.ts'
import { idIn } from '../base/form.ts'
import type { ConsoleVisit } from '../base/visit.ts'
import { wordOf } from '../base/words.ts'
import type { Refused } from './decision.ts'
import { type CaseForm, runCaseForm } from './form.ts'

interface HoldsPartProps {
  readonly visit: ConsoleVisit
  readonly review: IdentificationUnderReview
  readonly canPlace: boolean
  readonly canLift: boolean
  readonly typed: Sent | undefined
}

const CHOICES = [
  { name: 'owner', label: 'console.hold.owner', values: INTERNAL_OWNERS, group: 'console.owner' },
  { name: 'reason', label: 'console.reason', values: BLOCK_REASONS, group: 'console.reason' },
] as const

export function HoldsPart({ visit, review, canPlace, canLift, typed }: HoldsPartProps) {
  const { frame } = visit
  const { t } = frame
  const base = consolePath('identification', review.identification.id)
  const inForce = review.holds.filter((hold) => !hold.liftedAt)
  const lifted = review.holds.filter((hold) => hold.liftedAt)
  const hasTitle = review.holds.length > 0
  if (!hasTitle && !canPlace) return null
  return (
    <section
      class="case-part"
      {...(hasTitle ? { 'aria-labelledby': 'holds-title' } : { 'aria-label': t('console.holds') })}
    >
      {hasTitle ? <h2 id="holds-title">{t('console.holds')}</h2> : null}
      {inForce.length > 0 ? <Holds {...{ visit, review, canLift }} holds={inForce} /> : null}
      {lifted.length > 0 ? (
        <details>
          <summary>{t('console.holds.lifted', { count: lifted.length })}</summary>
          <Holds {...{ visit, review, canLift }} holds={lifted} />
          {review.holds.length === MAX_LISTED_HOLDS ? (
            <p class="quiet">{t('console.holds.newest', { count: MAX_LISTED_HOLDS })}</p>
          ) : null}
        </details>
      ) : null}
      {canPlace ? (
        <details open={typed !== undefined} class="screen-only">
          <summary class="button button-secondary">{t('console.hold.place')}</summary>
          <PostForm visit={visit} action={`${base}/cases`} class="flag-form" data-unsent>
            <input type="hidden" name="id" value={idIn(typed) ?? newId()} />
            <p class="hint field">{t('console.hold.text')}</p>
            {CHOICES.map(({ name, label, values, group }) => (
              <div key={name} class="field">
                <label for={`hold-${name}`}>{t(label)}</label>
                <select id={`hold-${name}`} name={name} required>
                  <option value="">{t('page.choose')}</option>
                  {values.map((value) => (
                    <option key={value} value={value} selected={value === typed?.[name]}>
                      {wordOf(frame, group, value)}
                    </option>
                  ))}
                </select>
              </div>
            ))}
            <div class="field">
              <label for="notes">{t('console.internal')}</label>
              <textarea id="notes" name="notes" rows={2}>
                {typed?.notes}
              </textarea>
            </div>
            <div class="field">
              <p class="actions">
                <Button>{t('console.hold.place')}</Button>
              </p>
            </div>
          </PostForm>
        </details>
      ) : null}
    </section>
  )
}

interface HoldsProps extends Pick<HoldsPartProps, 'visit' | 'review' | 'canLift'> {
  readonly holds: readonly HoldWithNotes[]
}

function Holds({ visit, review, canLift, holds }: HoldsProps) {
  const { frame } = visit
  const { t } = frame
  const base = consolePath('identification', review.identification.id)
  return (
    <ul class="entries">
      {holds.map((hold) => (
        <li key={hold.id}>
          <strong>{wordOf(frame, 'console.owner', hold.owner)}</strong>{' '}
          <span class={hold.liftedAt ? 'quiet' : 'tone-danger'}>
            {t(hold.liftedAt ? 'console.hold.lifted' : 'console.hold.inForce')}
          </span>
          <div>{wordOf(frame, 'console.reason', hold.reason)}</div>
          <div class="quiet">
            {hold.services.map((service) => wordOf(frame, 'console.service', service)).join(', ')}
          </div>
          {hold.notes ? <p class="lines">{hold.notes}</p> : null}
          {canLift && isInternalOwner(hold.owner) && !hold.liftedAt ? (
            <PostForm visit={visit} action={`${base}/cases/${hold.id}/close`}>
              <input type="hidden" name="version" value={review.identification.state.version} />
              <input type="hidden" name="id" value={newId()} />
              <Button kind="link">{t('console.hold.lift')}</Button>
            </PostForm>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/**
 * Places a hold with the ID from the form, so that a form that is sent twice places one hold. Refuses the form if the
 * hold is lifted or has other values, for example after the browser's Back button was used.
 */
export function placeHoldFromForm(form: CaseForm<'identification'>): Promise<void> {
  const { deps, visit, target, req } = form
  const typed = (req.body ?? {}) as Sent
  const open = async () => {
    const { owner, reason, notes } = typed
    const given = String(notes ?? '').trim()
    const body = placeHoldBody.safeParse({ owner, reason, ...(given !== '' && { notes: given }) })
    if (!body.success) {
      const isUnsaid = reason === 'other' && given === ''
      const message = visit.frame.t(isUnsaid ? 'console.hold.unsaid' : 'console.hold.incomplete')
      throw new RequestRefused({ code: 'invalid', message })
    }
    const id = idIn(typed)
    const effect = id ? { id, isRerun: true } : newEffect()
    const opened = await placeHold(deps, { actor: visit.actor, effect }, target, body.data)
    const isAsked =
      opened.identificationId === target.id &&
      opened.owner === body.data.owner &&
      opened.reason === body.data.reason
    if (!isAsked || opened.liftedAt !== null)
      throw new RequestRefused({ code: 'invalid', message: visit.frame.t('console.hold.other') })
  }
  // Keeps the ID only after a 503, because the hold may have been placed. Otherwise, the form gets a new ID.
  const showAgain = (refused: Refused) =>
    form.showAgain({
      ...refused,
      typed: { case: refused.status === 503 ? typed : { ...typed, id: undefined } },
    })
  return runCaseForm({ ...form, showAgain }, open, { done: 'placed' })
}

export const liftHoldFromForm = (form: CaseForm<'identification'>): Promise<void> =>
  runCaseForm(
    form,
    () => {
      const { deps, visit, req } = form
      const sent = req.body as Sent | undefined
      const id = idIn(sent)
      const asking = {
        actor: visit.actor,
        grants: visit.grants,
        effect: id ? { id, isRerun: true } : newEffect(),
      }
      return liftHold(deps, asking, String(req.params.case), { version: Number(sent?.version) })
    },
    { done: 'lifted' },
  )
