/** Page: a person consents to the processing of their data before the form collects any data. */
import { CONSENT } from '../../../domain/identification/person-form.ts'
import { Advice } from '../../components/advice.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ChoiceCard } from '../../components/choice-card.tsx'
import { Contact } from '../../components/contact.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { type FieldProblem, Page } from '../../components/layout.tsx'
import { mailAbout, Reference } from '../base/result.tsx'
import { StepPage } from './page.tsx'
import { hasConsented, type PersonVisit } from './visit.ts'

const PARTS = ['who', 'what', 'why', 'decision', 'long', 'rights', 'other'] as const
const ANSWERS = { yes: 'agree', no: 'decline' } as const

export function Consent(props: { visit: PersonVisit; problems?: readonly FieldProblem[] }) {
  const { visit, problems = [] } = props
  const { frame, base } = visit
  const { t } = frame
  const vault = frame.vaultName ?? ''
  return (
    <StepPage
      visit={visit}
      current="consent"
      title={t('person.consent')}
      lead={t('consent.text', { vault })}
      problems={problems}
    >
      <PostForm visit={visit} action={`${base}/consent`} class="flow">
        <p>{t('consent.short', { vault })}</p>
        <details class="card explained">
          <summary>
            <Icon name="shield-check" size={20} />
            <span>{t('consent.more')}</span>
            <Icon name="chevron-down" size={20} />
          </summary>
          <dl>
            {PARTS.map((part) => (
              <div key={part}>
                <dt>{t(`consent.${part}`)}</dt>
                <dd>
                  {t(`consent.${part}.text`, { vault })}
                  {part === 'other' ? (
                    <>
                      {' '}
                      <Contact frame={frame} />
                    </>
                  ) : null}
                </dd>
              </div>
            ))}
          </dl>
        </details>
        <input type="hidden" name="version" value={CONSENT} />
        <input type="hidden" name="shown_in" value={frame.language} />
        {/* No answer is preselected, and both answers look alike, because consent must be voluntary. */}
        <fieldset class="field" id="consent" tabIndex={-1}>
          <legend>{t('consent.question')}</legend>
          {hasConsented(visit) ? <p class="hint">{t('consent.given')}</p> : null}
          <div class="choice-cards">
            {Object.entries(ANSWERS).map(([value, answer]) => (
              <ChoiceCard
                key={value}
                name="consent"
                value={value}
                label={t(`consent.${answer}`)}
                text={t(`consent.${answer}.text`, { vault })}
                required
              />
            ))}
          </div>
        </fieldset>
        <p class="row-note">{t('consent.reversible', { vault })}</p>
        <div class="dock">
          <Button>{t('person.continue')}</Button>
        </div>
      </PostForm>
    </StepPage>
  )
}

export function Declined({ visit }: { visit: PersonVisit }) {
  const { frame, base, identification } = visit
  const { t } = frame
  const vault = frame.vaultName ?? ''
  const mail = mailAbout(frame, identification.id)
  return (
    <Page
      frame={frame}
      title={t('consent.declined')}
      icon="message-square-text"
      hasContact
      lead={<span role="status">{t('consent.declined.text')}</span>}
    >
      <div class="result">
        <div class="card">
          <Advice
            items={[
              { icon: 'mail', name: t('consent.declined.other', { vault }), note: <Contact frame={frame} /> },
              {
                icon: 'trash-2',
                name: t('consent.declined.removed'),
                note: t('consent.declined.removed.text', { vault }),
              },
              { icon: 'undo-2', name: t('consent.declined.return'), note: t('consent.declined.return.text') },
            ]}
          />
        </div>
        <Reference frame={frame} id={identification.id} />
        <div class="dock">
          {mail ? (
            <ButtonLink icon="mail" href={mail}>
              {t('done.write', { vault })}
            </ButtonLink>
          ) : null}
          <ButtonLink kind="secondary" href={`${base}/consent`}>
            {t('consent.again')}
          </ButtonLink>
        </div>
      </div>
    </Page>
  )
}
