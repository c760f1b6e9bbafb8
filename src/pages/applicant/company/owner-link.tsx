/** Component: the link with which an owner verifies their own identity, with its QR code. */
import { renderSVG } from 'uqr'
import type { Beneficiary } from '../../../domain/kyb/fields.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { CopyField } from '../../components/copy.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { dayText } from '../../values/dates.ts'
import { nameOf } from './sections.ts'
import type { CompanyVisit } from './visit.ts'

const linkOf = ({ publicUrl, application }: CompanyVisit, { external_id }: Beneficiary): string =>
  `${publicUrl}/verify/${application.links.get(external_id)?.token}`

/** Renders the QR code dark on light in every colour scheme, with the quiet zone of 4 modules that scanners need. */
export const qrCodeOf = (visit: CompanyVisit, person: Beneficiary): string =>
  renderSVG(linkOf(visit, person), { border: 4 })

/** Shows the person's own link, which saves the company the upload of their documents. */
export function OwnLink({ visit, person }: { visit: CompanyVisit; person: Beneficiary }) {
  const { frame, base, application } = visit
  const { t } = frame
  const link = application.links.get(person.external_id)
  if (!link) return null
  const isGood = link.expiresAt > new Date()
  const until = dayText(frame, link.expiresAt)
  return (
    <>
      {link.verification === 'initiated' ? (
        link.isBegun ? (
          <Banner title={t('owners.link.opened')} />
        ) : null
      ) : (
        <Banner
          tone="warning"
          title={t(
            link.verification === 'approved' ? 'due.verified_as_another' : `owners.link.${link.verification}`,
          )}
        />
      )}
      {isGood ? (
        <CopyField
          frame={frame}
          id={`link-${person.external_id}`}
          label={t('owners.link.label', { name: nameOf(person) })}
          value={linkOf(visit, person)}
        />
      ) : null}
      {isGood && visit.sendsEmails && person.email ? (
        <p class="row-note">
          {t('owners.link.emailed', { vault: frame.vaultName ?? '', email: person.email })}
        </p>
      ) : null}
      <div class="link-controls">
        {isGood ? (
          <Button
            type="button"
            kind="tonal"
            icon="send"
            data-share={linkOf(visit, person)}
            data-title={t('owners.share.title', { vault: frame.vaultName ?? '' })}
            hidden
          >
            {t('owners.share')}
          </Button>
        ) : null}
        {isGood ? <QrCode visit={visit} person={person} /> : null}
        <span class="quiet">{t(isGood ? 'owners.link.until' : 'owners.link.expired', { until })}</span>
        <PostForm visit={visit} action={`${base}/owners/${person.external_id}/link`}>
          <Button kind={isGood ? 'link' : 'tonal'}>{t('owners.link.renew')}</Button>
        </PostForm>
      </div>
    </>
  )
}

const QrCode = ({ visit: { frame, base }, person }: { visit: CompanyVisit; person: Beneficiary }) => (
  <details class="qr-code">
    <summary>
      <Icon name="qr-code" />
      {frame.t('owners.link.showQr')}
    </summary>
    <img
      class="qr"
      src={`${base}/owners/${person.external_id}/qr.svg`}
      alt={frame.t('owners.link.qr', { name: nameOf(person) })}
      width="180"
      height="180"
      loading="lazy"
    />
  </details>
)
