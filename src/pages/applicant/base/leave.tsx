/** Pages of the company form and the person form: ends the session, and explains how to continue later. */
import type { Request, Response } from 'express'
import type { RouteDeps } from '../../../http/deps.ts'
import { endSession } from '../../../use-cases/applicant/session.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Page } from '../../components/layout.tsx'
import { MessageHead } from '../../components/outcome-hero.tsx'
import { isFromHere } from '../../routing/origin.ts'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import type { ApplicantVisit } from './visit.ts'
import { clearSession, type Form } from './visit.ts'

/** The name of the button that saves the form and leaves. */
export const LEAVE = 'leave'

/** Returns the address of the page for applicants who leave, or null if the applicant continues. */
export const leaveAddress = ({ base }: Pick<ApplicantVisit, 'base'>, { body }: Request): string | null =>
  (body as Sent | undefined)?.[LEAVE] === undefined ? null : `${base}/leave`

interface FinishLaterProps {
  readonly visit: ApplicantVisit
  /** The ID of the page's form, which is saved first. */
  readonly form: string | undefined
}

/** Ends a page of a person. The button comes after that of its form, because Enter presses the first one. */
export function FinishLater({ visit: { frame, base }, form }: FinishLaterProps) {
  const { t } = frame
  return (
    <p class="row-note">
      {t('leave.anytime')}{' '}
      {form === undefined ? (
        <a href={`${base}/leave`}>{t('leave')}</a>
      ) : (
        // biome-ignore lint/a11y/useButtonType: submits by default, and the page keeps one `button[type=submit]`.
        <button class="button button-link" form={form} name={LEAVE} value="yes">
          {t('leave')}
        </button>
      )}
    </p>
  )
}

/**
 * Ends the session. The forms have saved all entries, and the request can be repeated, so a link of our own pages can
 * also cause it. A link on another site, or a browser that loads pages in advance, cannot.
 */
export async function leave(deps: RouteDeps, form: Form, visit: ApplicantVisit, req: Request, res: Response) {
  if (!isFromHere(req) || req.get('Sec-Purpose') !== undefined)
    return sendPage(res, 200, <AskToLeave visit={visit} />)
  await endSession(deps, visit)
  clearSession(deps, res, visit)
  const { t } = visit.frame
  const text = t(form === 'kyb' ? 'leave.text' : 'leave.text.person')
  const hero = <MessageHead icon="circle-check" title={t('leave.title')} text={text} />
  sendPage(res, 200, <Page frame={visit.frame} title={t('leave.title')} hero={hero} />)
}

function AskToLeave({ visit }: { visit: ApplicantVisit }) {
  const { t } = visit.frame
  return (
    <Page frame={visit.frame} title={t('leave')}>
      <PostForm visit={visit} action={`${visit.base}/leave`} class="actions">
        <Button>{t('leave')}</Button>
        <ButtonLink kind="secondary" href={visit.base}>
          {t('leave.back')}
        </ButtonLink>
      </PostForm>
    </Page>
  )
}
