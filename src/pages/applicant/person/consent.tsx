/** Page: a person consents to the processing of their data, before the form collects any. */
import { Button, ButtonLink } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { type FieldProblem, Page } from '../../components/layout.tsx'
import { hasConsented, type PersonVisit } from './visit.ts'

const PARTS = ['who', 'what', 'why', 'long', 'rights', 'other'] as const

export function Consent({
  visit,
  problems = [],
}: {
  visit: PersonVisit
  problems?: readonly FieldProblem[]
}) {
  const { frame, base } = visit
  const { t } = frame
  const vault = frame.vaultName ?? ''
  return (
    <Page frame={frame} title={t('person.consent')} back={base} problems={problems}>
      <dl class="explained">
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{t(`consent.${part}`)}</dt>
            <dd>{t(`consent.${part}.text`, { vault })}</dd>
          </div>
        ))}
      </dl>
      <PostForm visit={visit} action={`${base}/consent`}>
        {hasConsented(visit) ? <p class="status good">{t('consent.given')}</p> : null}
        {/* Both buttons look the same, because the consent must be voluntary. */}
        <div class="choice-of-two">
          <Button name="consent" value="yes" kind="secondary">
            {t('consent.agree')}
          </Button>
          <Button name="consent" value="no" kind="secondary">
            {t('consent.decline')}
          </Button>
        </div>
      </PostForm>
    </Page>
  )
}

/** Explains the alternative, and links back to the consent page. */
export function Declined({ visit }: { visit: PersonVisit }) {
  const { frame, base } = visit
  const { t } = frame
  return (
    <Page frame={frame} title={t('consent.declined')} back={`${base}/consent`}>
      <p role="status">{t('consent.declined.text', { vault: frame.vaultName ?? '' })}</p>
      <p>
        <ButtonLink kind="secondary" href={`${base}/consent`}>
          {t('consent.again')}
        </ButtonLink>
      </p>
    </Page>
  )
}
