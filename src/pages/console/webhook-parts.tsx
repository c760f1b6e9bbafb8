/** Components: the state of a webhook URL, and the response to a test event. */
import { ButtonLink } from '../components/button.tsx'
import { Chip } from '../components/chip.tsx'
import type { Frame } from '../components/layout.tsx'
import { ageText } from './age.ts'
import { failureWords } from './words.ts'

interface FailingProps {
  readonly frame: Frame
  readonly since: Date
}

export const FailingChip = ({ frame, since }: FailingProps) => (
  <Chip tone="danger" icon="circle-alert">
    {frame.t('settings.webhooks.failing', { age: ageText(frame, since) })}
  </Chip>
)

interface TestResultProps {
  readonly frame: Pick<Frame, 't'>
  readonly result: {
    readonly statusCode: number | null
    readonly error: string | null
    readonly durationMs: number
    readonly excerpt: string | null
  }
  /** The address of the page of the URLs. */
  readonly back: string
  readonly class?: string
}

export function TestResult({ frame, result, back, class: more }: TestResultProps) {
  const { t } = frame
  const { statusCode, error, durationMs, excerpt } = result
  const isAccepted = error === null
  const said = [
    statusCode === null
      ? error && failureWords(frame, error)
      : t('settings.webhooks.answered', { status: String(statusCode) }),
    t('settings.webhooks.took', { ms: durationMs }),
  ]
  return (
    <div class={more ? `card ${more}` : 'card'}>
      <p class="actions">
        <Chip tone={isAccepted ? 'success' : 'danger'} icon={isAccepted ? 'check' : 'circle-alert'}>
          {t(isAccepted ? 'settings.webhooks.taken' : 'settings.webhooks.notTaken')}
        </Chip>
        <span>{said.join(' · ')}</span>
      </p>
      {excerpt ? <pre class="excerpt">{excerpt}</pre> : null}
      <div class="actions">
        <ButtonLink href={back}>{t('settings.goOn')}</ButtonLink>
      </div>
    </div>
  )
}
