/** Use cases for the options of a vault's webhook URLs. */
import { listWebhookUrls as listUrls, updateWebhookUrl as updateUrl } from '../../db/webhooks/url.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import {
  areHeadersTooLarge,
  type Headers,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  type UrlCertificates,
  type UrlChange,
  type WebhookUrl,
} from '../../domain/webhook/url.ts'
import { findCertificateProblem } from '../../webhooks/certificates.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'

/** Lists the registered URLs of the caller's first vault, or of `vaultId`. */
export const listWebhookUrls = ({ db }: Pick<Deps, 'db'>, caller: Caller, vaultId?: string) =>
  listUrls(db, [requireVault(caller, 'api_read', vaultId)])

/** Changes the options of a registered URL. Throws `not_found`, and RateReached after too many changes. */
export async function updateWebhookUrl(
  deps: Pick<Deps, 'db' | 'spend' | 'notifier'>,
  caller: Caller,
  by: By,
  id: string,
  change: UrlChange,
): Promise<WebhookUrl> {
  const registered = await listUrls(
    deps.db,
    caller.vaults.map((vault) => vault.id),
  )
  const found = registered.find((url) => url.id === id)
  if (!found) throw new RequestRefused({ code: 'not_found' })
  await deps.spend('settings', requireVault(caller, 'api_write', found.vaultId))
  return changeUrl(deps, by, found, change)
}

async function changeUrl(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  by: By,
  found: WebhookUrl,
  change: UrlChange,
): Promise<WebhookUrl> {
  const changed = await updateUrl(db, by, found, change, {
    headers: requireAllowedHeaders,
    certificates: (certificates) => requireValidCertificates(found.url, certificates),
  })
  if (!changed) throw new RequestRefused({ code: 'not_found' })
  // Workers send the queue of a resumed URL.
  notifier.notify([found.id])
  return changed
}

function requireAllowedHeaders(headers: Headers): void {
  if (!areHeadersTooLarge(headers)) return
  const message = `The URL would have more than ${MAX_HEADERS} headers or ${MAX_HEADER_BYTES} bytes of headers. Remove some of them.`
  throw new RequestRefused({ code: 'invalid', field: 'headers', message })
}

function requireValidCertificates(url: string, certificates: UrlCertificates): void {
  const problem = findCertificateProblem(url, certificates, Date.now())
  if (problem) throw new RequestRefused(problem)
}

updateWebhookUrl.refuses = [
  'invalid_certificate',
  'certificate_expired',
  'invalid_private_key',
  'certificate_key_mismatch',
] as const satisfies Refusals
