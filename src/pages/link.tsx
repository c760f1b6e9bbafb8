/** The page that a link leads to: who asks and for what. It spends nothing; a company's form opens by its password. */
import type { LinkedVerification } from '../db/verification-link.ts'
import { type FieldProblem, type Frame, Page } from './layout.tsx'

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
      <form method="post" novalidate>
        <div class={problem ? 'field wrong' : 'field'}>
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
        <button type="submit">{t('link.open')}</button>
      </form>
    </Page>
  )
}

const LOOKS = {
  initiated: 'open',
  attention: 'open',
  approved: 'good',
  rejected: 'bad',
  closed: 'over',
} as const

/** How far a verification is that is not filled in here. */
export function VerificationState({ frame, linked }: LinkProps) {
  const { t } = frame
  const isPerson = linked.kind === 'person'
  return (
    <Page frame={frame} title={t(isPerson ? 'link.person.title' : 'link.company.title')}>
      <p>{t(isPerson ? 'link.person.asks' : 'link.company.asks', { vault: linked.vault.name })}</p>
      <p class={`state ${LOOKS[linked.verification]}`} role="status">
        {t(`state.${linked.verification}`)}
      </p>
    </Page>
  )
}
