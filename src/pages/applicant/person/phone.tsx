/** Page: a QR code with which a person takes the photos on a phone. The page continues once all are uploaded. */
import type { SpecifiedPhoto } from '../../../domain/identification/person-form.ts'
import { HAND_OVER_MS } from '../../../use-cases/applicant/hand-over.ts'
import { Advice } from '../../components/advice.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Glyph, Icon } from '../../components/icon.tsx'
import { type Frame, Page } from '../../components/layout.tsx'
import { MessageHead } from '../../components/outcome-hero.tsx'
import { TaskRow } from '../../components/task-row.tsx'
import { StepPage } from './page.tsx'
import { dueOn, type PersonVisit, photosOf, titleOf } from './visit.ts'

export const duePhotos = (visit: PersonVisit): SpecifiedPhoto[] =>
  photosOf(visit).filter((attribute) => dueOn(visit, attribute).length > 0)

const STEPS = ['scan', 'take', 'return'] as const

const MINUTE_MS = 60_000
/** How often the page shows a new code. Each code is valid for longer. */
const NEW_CODE_MS = MINUTE_MS

interface PhoneProps {
  readonly visit: PersonVisit
  /** True if a phone has opened the code. */
  readonly isConnected: boolean
}

export function Phone({ visit, isConnected }: PhoneProps) {
  const { frame, base } = visit
  const { t } = frame
  const due = duePhotos(visit)
  const [first = 'document_front'] = due
  return (
    <StepPage
      visit={visit}
      current={first}
      title={t('phone.title')}
      lead={isConnected ? t('phone.connected.text') : null}
      hero={
        isConnected ? undefined : (
          <>
            <h1 class="on-phone">{t('phone.title')}</h1>
            <div class="phone-only actions photo-dock">
              <h1>{t('phone.open.title')}</h1>
              <ButtonLink icon="camera" href={`${base}/${first}`}>
                {t('phone.open.take')}
              </ButtonLink>
            </div>
          </>
        )
      }
    >
      {isConnected ? (
        <div class="card card-body hand-over" data-refresh>
          <PostForm visit={visit} action={`${base}/phone/disconnect`} class="flow">
            <p>
              <Glyph state="done" label={t('status.complete')} />
              <strong>{t('phone.connected')}</strong>
            </p>
            <Button kind="secondary">{t('phone.disconnect')}</Button>
          </PostForm>
          <ul class="list">
            {photosOf(visit).map((attribute) => {
              const isDue = due.includes(attribute)
              return (
                <li key={attribute}>
                  <Glyph
                    state={isDue ? 'todo' : 'done'}
                    label={t(isDue ? 'person.status.open' : 'status.complete')}
                  />
                  {titleOf(visit, attribute)}
                </li>
              )
            })}
          </ul>
        </div>
      ) : (
        // On a phone, the visitor needs no other one. A large screen shows the code without the summary.
        <details class="card explained phone-fold" data-refresh>
          <summary>
            <Icon name="smartphone" size={20} />
            <span>{t('phone.other')}</span>
            <Icon name="chevron-down" />
          </summary>
          <div class="hand-over">
            {/* The address changes with the code, so that browsers load the new image. */}
            <img
              class="qr"
              src={`${base}/phone/qr.svg?at=${Math.floor(Date.now() / NEW_CODE_MS)}`}
              alt={t('phone.qr')}
              width="240"
              height="240"
            />
            <Advice
              isNumbered
              items={STEPS.map((step) => ({ name: t(`phone.${step}`), note: t(`phone.${step}.text`) }))}
            />
            <p class="hint">{t('phone.note', { minutes: HAND_OVER_MS / MINUTE_MS })}</p>
          </div>
        </details>
      )}
      <div class={isConnected ? 'dock' : 'dock on-phone'}>
        <ButtonLink kind="secondary" href={`${base}/${first}`}>
          {t('phone.here')}
        </ButtonLink>
      </div>
    </StepPage>
  )
}

/** Shows that no photo is missing on the phone. The person continues on the other device. */
export function PhoneDone({ visit: { frame } }: { visit: PersonVisit }) {
  const { t } = frame
  return (
    <Page
      frame={frame}
      title={t('phone.done')}
      hero={
        <MessageHead
          icon="circle-check"
          title={t('phone.done')}
          text={`${t('phone.done.text')} ${t('phone.done.closed')}`}
        />
      }
    />
  )
}

/** Shows a form that starts the session on the phone. A form is needed because mail scanners follow links. */
export function PhoneLink({ frame, name }: { frame: Frame; name: string | undefined }) {
  const { t, vaultName } = frame
  return (
    <Page
      frame={frame}
      title={t('phone.open.title')}
      icon="smartphone"
      lead={t('phone.open.text', { vault: vaultName ?? '' })}
    >
      {name === undefined ? null : (
        <ul class="card rows">
          <TaskRow icon="user" name={name} note={t('link.person.title')} />
        </ul>
      )}
      <ul class="needs">
        <TaskRow icon="camera" name={t('phone.open.take')} note={t('phone.open.take.text')} />
        <TaskRow icon="undo-2" name={t('phone.done')} note={t('phone.open.back')} />
      </ul>
      <p class="private">
        <Icon name="shield-check" />
        {t('phone.open.own')}
      </p>
      <form method="post" class="dock">
        <Button>{t('phone.open.take')}</Button>
      </form>
    </Page>
  )
}
