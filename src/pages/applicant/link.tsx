/** Page: the start of a verification link. It changes nothing, because mail scanners follow links. */

import type { LinkedVerification } from '../../domain/identification/link.ts'
import { DOCUMENTS_OF_EVERY_COMPANY } from '../../domain/kyb/requirements.ts'
import { Button } from '../components/button.tsx'
import { labelOf } from '../components/fields.tsx'
import { type FieldProblem, type Frame, Page } from '../components/layout.tsx'

interface LinkProps {
  readonly frame: Frame
  readonly linked: LinkedVerification
  readonly problems?: readonly FieldProblem[]
}

export function CompanyLink({ frame, linked, problems = [] }: LinkProps) {
  const { t } = frame
  const [problem] = problems
  return (
    <Page frame={frame} title={t('link.company.title')} problems={problems}>
      <p>{t('link.company.asks', { vault: linked.vault.name })}</p>
      <p>{t('link.company.needs')}</p>
      <ul>
        {DOCUMENTS_OF_EVERY_COMPANY.map((field) => (
          <li key={field}>{labelOf(t, field)}</li>
        ))}
        <li>{t('link.company.needs.identities')}</li>
      </ul>
      <p>{t('link.company.needs.time')}</p>
      <form method="post" novalidate>
        <div class={problem ? 'field field-invalid' : 'field'}>
          <label for="password">{t('link.company.password')}</label>
          <p class="hint" id="password-hint">
            {t('link.company.passwordHint')}
          </p>
          {problem ? (
            <p class="problem" id="password-problem">
              {problem.message}
            </p>
          ) : null}
          <input
            type="password"
            id="password"
            name="password"
            autocomplete="current-password"
            aria-describedby={problem ? 'password-hint password-problem' : 'password-hint'}
            {...(problem && { 'aria-invalid': 'true' })}
          />
        </div>
        <Button>{t('link.open')}</Button>
      </form>
    </Page>
  )
}

/** A person needs no password. The form prevents mail scanners from starting a session. */
export function PersonLink({ frame, linked }: LinkProps) {
  const { t } = frame
  const isOpen = linked.waitingOn === 'applicant'
  return (
    <Page frame={frame} title={t('link.person.title')}>
      <p>{t('link.person.asks', { vault: linked.vault.name })}</p>
      {isOpen ? (
        <>
          <p>{t('link.person.needs')}</p>
          <ul>
            <li>{t('link.person.needs.document')}</li>
            <li>{t('link.person.needs.camera')}</li>
            <li>{t('link.person.needs.time')}</li>
          </ul>
        </>
      ) : (
        <p role="status">{t('link.person.done')}</p>
      )}
      <form method="post">
        <Button>{t('link.open')}</Button>
      </form>
    </Page>
  )
}
