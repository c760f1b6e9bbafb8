/** Use cases for the options of a vault's webhook URLs. */

import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { listFailingUrls } from '../../db/webhooks/failing-url.ts'
import {
  readResend,
  startResend as startResending,
  stopResend as stopResending,
} from '../../db/webhooks/resend.ts'
import { listWebhookUrls as listUrls, updateWebhookUrl as updateUrl } from '../../db/webhooks/url.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted, Permission } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { Resend } from '../../domain/webhook/resend.ts'
import {
  areHeadersTooLarge,
  type Headers,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  type UrlCertificates,
  type UrlChange,
  type WebhookUrl,
  withoutQuery,
} from '../../domain/webhook/url.ts'
import { findCertificateProblem } from '../../webhooks/certificates.ts'
import { type Caller, requirePermission, requireVault } from '../access/caller.ts'
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
  const found = await findUrl(deps, caller, 'api_write', id)
  await deps.spend('settings', found.vaultId)
  return changeUrl(deps, by, found, change)
}

/** Returns a registered URL. Throws `not_found`, or `insufficient_role` if the caller lacks the role. */
async function findUrl({ db }: Pick<Deps, 'db'>, caller: Caller, role: ClientRole, id: string) {
  const registered = await listUrls(
    db,
    caller.vaults.map((vault) => vault.id),
  )
  const found = registered.find((url) => url.id === id)
  if (!found) throw new RequestRefused({ code: 'not_found' })
  requireVault(caller, role, found.vaultId)
  return found
}

/** Returns the progress of the newest resending. Throws `not_found`. */
export const getResend = async (deps: Pick<Deps, 'db'>, caller: Caller, id: string): Promise<Resend> =>
  readResend(deps.db, (await findUrl(deps, caller, 'api_read', id)).id)

/** Starts to send all failed deliveries of the URL again. Throws `not_found` and `resend_in_progress`. */
export async function startResend(
  deps: Pick<Deps, 'db' | 'spend' | 'notifier'>,
  caller: Caller,
  by: By,
  id: string,
  asked: { readonly since: Date; readonly perSecond: number },
): Promise<Resend> {
  const found = await findUrl(deps, caller, 'api_write', id)
  await deps.spend('settings', found.vaultId)
  return startResendOf(deps, by, found, asked)
}

startResend.refuses = ['resend_in_progress'] as const satisfies Refusals

async function startResendOf(
  { db, notifier }: Pick<Deps, 'db' | 'notifier'>,
  by: By,
  url: WebhookUrl,
  asked: { readonly since: Date; readonly perSecond: number },
): Promise<Resend> {
  const started = await transaction(db, async (tx) => {
    const resend = await startResending(tx, url, asked)
    if (!resend) throw new RequestRefused({ code: 'resend_in_progress' })
    await recordResend(tx, by, url, 'started')
    return resend
  })
  notifier.notify([url.id])
  return started
}

/** Stops the resending, if one is running. Throws `not_found`. */
export async function stopResend(
  deps: Pick<Deps, 'db' | 'spend'>,
  caller: Caller,
  by: By,
  id: string,
): Promise<Resend> {
  const found = await findUrl(deps, caller, 'api_write', id)
  await deps.spend('settings', found.vaultId)
  return stopResendOf(deps, by, found)
}

const stopResendOf = ({ db }: Pick<Deps, 'db'>, by: By, url: WebhookUrl): Promise<Resend> =>
  transaction(db, async (tx) => {
    if (await stopResending(tx, url.id)) await recordResend(tx, by, url, 'stopped')
    return readResend(tx, url.id)
  })

const recordResend = (tx: Database, by: By, { vaultId, url }: WebhookUrl, to: 'started' | 'stopped') =>
  recordAudit(tx, by, {
    action: 'webhook_url_options_changed',
    subject: 'vault',
    subjectId: vaultId,
    vaultId,
    changes: { url: { to: withoutQuery(url) }, resend: { to } },
  })

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

type OperatorDeps = Pick<Deps, 'db' | 'notifier'>

/** Returns a URL of the vault. Throws `not_found`, and `insufficient_role` if the operator lacks the permission. */
async function findRegistered(
  { db }: Pick<Deps, 'db'>,
  operator: Granted,
  permission: Permission,
  vaultId: string,
  urlId: string,
): Promise<WebhookUrl> {
  requirePermission(operator, permission, vaultId)
  const found = (await listUrls(db, [vaultId])).find(({ id }) => id === urlId)
  if (!found) throw new RequestRefused({ code: 'not_found' })
  return found
}

/** Returns a URL for an operator, with its newest resending and the time since when it fails. */
export async function getRegisteredUrl(
  deps: Pick<Deps, 'db'>,
  operator: Granted,
  vaultId: string,
  urlId: string,
) {
  const url = await findRegistered(deps, operator, 'read_settings', vaultId, urlId)
  const failing = (await listFailingUrls(deps.db, vaultId)).find((each) => each.url === url.url)
  return { url, resend: await readResend(deps.db, urlId), failingSince: failing?.failingSince ?? null }
}

/** Changes a URL for an operator. */
export const changeRegisteredUrl = async (
  deps: OperatorDeps,
  operator: Granted,
  by: By,
  vaultId: string,
  urlId: string,
  change: UrlChange,
): Promise<WebhookUrl> =>
  changeUrl(deps, by, await findRegistered(deps, operator, 'administer', vaultId, urlId), change)

/** Starts a resending for an operator. Throws the errors of `startResend`. */
export const startRegisteredResend = async (
  deps: OperatorDeps,
  operator: Granted,
  by: By,
  vaultId: string,
  urlId: string,
  asked: { readonly since: Date; readonly perSecond: number },
): Promise<Resend> =>
  startResendOf(deps, by, await findRegistered(deps, operator, 'administer', vaultId, urlId), asked)

export const stopRegisteredResend = async (
  deps: OperatorDeps,
  operator: Granted,
  by: By,
  vaultId: string,
  urlId: string,
): Promise<Resend> =>
  stopResendOf(deps, by, await findRegistered(deps, operator, 'administer', vaultId, urlId))
