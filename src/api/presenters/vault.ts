/** Presents a vault to administrators. */
import { unixSeconds } from '../../contracts/common.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { WebhookHealth } from '../../domain/webhook/health.ts'
import { logoPath } from '../../use-cases/access/branding.ts'

/** Presents a vault. The URL of its logo starts with `publicUrl`. */
export function presentVault(publicUrl: string, vault: Vault) {
  const logo = logoPath(vault)
  return {
    id: vault.id,
    name: vault.name,
    import_enabled: vault.importEnabled,
    internal_settlements_enabled: vault.internalSettlementsEnabled,
    send_traceparent: vault.sendTraceparent,
    four_eyes: vault.fourEyes,
    high_risk_countries: vault.highRiskCountries,
    review_target_hours: vault.reviewTargetHours,
    trading_fee: vault.tradingFee,
    logo_url: logo && publicUrl + logo,
    accent_color: vault.accentColor,
    accent_color_dark: vault.accentColorDark,
    support_email: vault.supportEmail,
    privacy_url: vault.privacyUrl,
    languages: vault.languages,
    default_language: vault.defaultLanguage,
    emails: vault.emails,
    email_outcomes: vault.emailOutcomes,
    created_at: unixSeconds(vault.createdAt),
  }
}

export const presentHealth = ({ topic, url, ...health }: WebhookHealth) => ({
  topic,
  url,
  attempts_24h: health.attempts,
  accepted_24h: health.accepted,
  failing_since: health.failingSince && unixSeconds(health.failingSince),
  oldest_pending_at: health.oldestPendingAt && unixSeconds(health.oldestPendingAt),
})
