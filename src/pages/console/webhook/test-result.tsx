/** Component: the response of a webhook URL to a test event. */
import type { testRegisteredUrl } from '../../../use-cases/webhooks/test-event.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { failureWords } from '../words.ts'
import type { UrlAsk } from './ask.ts'

interface TestResultProps {
  readonly ask: UrlAsk
  readonly result: Awaited<ReturnType<typeof testRegisteredUrl>>
}

export function TestResult({ ask: { frame, t, path }, result }: TestResultProps) {
  const { statusCode, error, durationMs, excerpt } = result
  const isAccepted = error === null
  const said = [
    statusCode === null
      ? error && failureWords(frame, error)
      : t('settings.webhooks.answered', { status: String(statusCode) }),
    t('settings.webhooks.took', { ms: durationMs }),
  ]
  return (
    <div class="card settings-card">
      <p class="actions">
        <Chip tone={isAccepted ? 'success' : 'danger'} icon={isAccepted ? 'check' : 'circle-alert'}>
          {t(isAccepted ? 'settings.webhooks.taken' : 'settings.webhooks.notTaken')}
        </Chip>
        <span>{said.join(' · ')}</span>
      </p>
      {excerpt ? <pre class="excerpt">{excerpt}</pre> : null}
      <div class="actions">
        <ButtonLink href={path}>{t('settings.webhook.back')}</ButtonLink>
      </div>
    </div>
  )
}
