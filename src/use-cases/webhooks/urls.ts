/** Use cases for a vault's webhook URLs and their options, for clients and for the operators who help them. */
import { listSeatUsers, readEmails } from '../../db/access/user.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { findTitles } from '../../db/cases/title.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { listFailingUrls } from '../../db/webhooks/failing-url.ts'
import { readWebhookHealth } from '../../db/webhooks/health.ts'
import {
  readResend,
  startResend as startResending,
  stopResend as stopResending,
} from '../../db/webhooks/resend.ts'
import { readUrlSettings, updateWebhookSettings } from '../../db/webhooks/setting.ts'
import {
  listWebhookUrls as listUrls,
  updateWebhookUrl as updateUrl,
  webhookUrlId,
} from '../../db/webhooks/url.ts'
import {
  countUrlDeliveries,
  listUrlDeliveries as listOf,
  readUrlWeek,
  type UrlDeliveryFilter,
} from '../../db/webhooks/url-delivery.ts'
import { aboutVault, type By, peopleIn } from '../../domain/access/audit.ts'
import { type Granted, hasPermission } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Topic } from '../../domain/base/topics.ts'
import { maxAttemptsOf } from '../../domain/webhook/delivery-schedule.ts'
import type { UrlList } from '../../domain/webhook/events.ts'
import type { WebhookHealth } from '../../domain/webhook/health.ts'
import type { Resend } from '../../domain/webhook/resend.ts'
import {
  areHeadersTooLarge,
  type Headers,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  MAX_URLS,
  registeredSpelling,
  topicsByUrl,
  type UrlCertificates,
  type UrlChange,
  type WebhookUrl,
  withoutQuery,
  withTopics,
} from '../../domain/webhook/url.ts'
import { findCertificateProblem, summarizeCertificate } from '../../webhooks/certificates.ts'
import { type Access, type Caller, requireAccess, requireVault } from '../access/caller.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { recordNamesRead } from '../case/reading-record.ts'
import { retryLog } from './logs.ts'

export type { UrlDeliveryFilter }

/** A client, or an operator with the vault of the client whom the operator helps. */
export type UrlUser = Caller | { readonly operator: Granted; readonly vaultId: string }

type ChangeDeps = Pick<Deps, 'db' | 'spend' | 'notifier'>

/** Lists the registered URLs of the user's vault, or of the client's vault that `vaultId` names. */
export const listWebhookUrls = ({ db }: WithDb, user: UrlUser, vaultId?: string) =>
  listUrls(db, [requireAccess(user, 'read', vaultId)])

export interface UrlWithHealth extends WebhookUrl {
  readonly health: readonly WebhookHealth[]
}

/** Lists the registered URLs of the user's vault with their health. */
export async function listUrlsWithHealth({ db }: WithDb, user: UrlUser): Promise<UrlWithHealth[]> {
  const vaultId = requireAccess(user, 'read')
  const health = await readWebhookHealth(db, vaultId)
  const urls = await listUrls(db, [vaultId])
  return urls.map((url) => ({ ...url, health: health.filter(({ id }) => id === url.id) }))
}

export type ShownUrl = Awaited<ReturnType<typeof getWebhookUrl>>

/** Returns the registered URLs of the user's vault that have failed for an hour. */
export async function listFailing({ db }: WithDb, user: UrlUser): Promise<WebhookUrl[]> {
  const vaultId = requireAccess(user, 'read')
  const failing = new Set((await listFailingUrls(db, vaultId)).map(({ url }) => url))
  return failing.size === 0 ? [] : (await listUrls(db, [vaultId])).filter(({ url }) => failing.has(url))
}

/** Returns a registered URL. Throws `not_found`, or `insufficient_role` if the role does not permit the access. */
export async function findUrl({ db }: WithDb, user: UrlUser, access: Access, id: string) {
  if ('operator' in user) requireAccess(user, access)
  const vaultIds = 'operator' in user ? [user.vaultId] : user.vaults.map((vault) => vault.id)
  const found = requireFound((await listUrls(db, vaultIds)).find((url) => url.id === id))
  requireAccess(user, access, found.vaultId)
  return found
}

/** Returns a URL that the user may change, after counting the change. Throws RateReached after too many changes. */
async function findUrlToChange(deps: Pick<Deps, 'db' | 'spend'>, user: UrlUser, id: string) {
  const found = await findUrl(deps, user, 'change', id)
  await deps.spend('settings', found.vaultId)
  return found
}

/** Returns the emails of the users who set the headers. Clients see only those of their own users. */
async function readSetters(db: Database, user: UrlUser, { vaultId, headersSet }: WebhookUrl) {
  const ids = peopleIn(Object.values(headersSet).map(({ by }) => by))
  if ('operator' in user || ids.length === 0) return readEmails(db, ids)
  return new Map((await listSeatUsers(db, vaultId)).map(({ id, email }) => [id, email]))
}

/**
 * Returns a URL with its certificates, its newest resending, the users who set its headers, the maximum number of attempts
 * and the time since when it fails. Throws `not_found`.
 */
export async function getWebhookUrl(deps: WithDb, user: UrlUser, id: string) {
  const url = await findUrl(deps, user, 'read', id)
  const failing = (await listFailingUrls(deps.db, url.vaultId)).find((each) => each.url === url.url)
  const { secretReplacedAt, longRetries } = await readUrlSettings(deps.db, url.vaultId)
  return {
    url,
    ca: summarizeCertificate(url.ca),
    clientCertificate: summarizeCertificate(url.clientCertificate),
    resend: await readResend(deps.db, id),
    setters: await readSetters(deps.db, user, url),
    secretReplacedAt,
    maxAttempts: maxAttemptsOf(longRetries),
    failingSince: failing?.failingSince ?? null,
  }
}

/**
 * Lists the newest deliveries to a URL with the result of the latest attempt and the cases that the user may see. Counts
 * those that match the filter, and those of the last seven days. Throws `not_found`.
 */
export async function listUrlDeliveries(
  deps: WithDb,
  user: UrlUser,
  by: By,
  id: string,
  filter: UrlDeliveryFilter,
  page: Page,
) {
  const url = await findUrl(deps, user, 'read', id)
  const { vaultId } = url
  const listed = await listOf(deps.db, url, filter, page)
  const mayRead = !('operator' in user) || hasPermission(user.operator, 'read_cases', vaultId)
  const ids = mayRead ? listed.deliveries.flatMap(({ caseId }) => caseId ?? []) : []
  const cases = await findTitles(deps.db, vaultId, ids)
  const names = [...cases.keys()].map(() => ({ vaultId }))
  if ('operator' in user) await recordNamesRead(deps, by, names)
  return {
    ...listed,
    cases,
    counts: await countUrlDeliveries(deps.db, url, filter),
    week: await readUrlWeek(deps.db, url),
  }
}

/** Changes the options of a registered URL. Throws `not_found`, and RateReached after too many changes. */
export async function updateWebhookUrl(
  deps: ChangeDeps,
  user: UrlUser,
  by: By,
  id: string,
  change: UrlChange,
): Promise<WebhookUrl> {
  const found = await findUrlToChange(deps, user, id)
  const changed = await updateUrl(deps.db, by, found, change, {
    headers: requireAllowedHeaders,
    certificates: (certificates) => requireValidCertificates(found.url, certificates),
  })
  if (!changed) throw new RequestRefused({ code: 'not_found' })
  // Workers send the queue of a resumed URL.
  deps.notifier.notify([found.id])
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

/** Registers a URL for more topics of the client's vault. Returns its ID. Throws RateReached after too many changes. */
export async function addWebhookUrl(
  { db, spend }: Pick<Deps, 'db' | 'spend'>,
  caller: Caller,
  by: By,
  { url, topics }: { readonly url: string; readonly topics: readonly Topic[] },
): Promise<string> {
  const vaultId = requireVault(caller, 'api_write')
  await spend('settings', vaultId)
  let spelled = url
  await changeTopics(db, by, vaultId, (before) => {
    spelled = registeredSpelling(before, url)
    return withTopics(before, spelled, [...(topicsByUrl(before).get(spelled) ?? []), ...topics])
  })
  return webhookUrlId(vaultId, spelled)
}

/** Registers a client's URL for these topics only. Without topics, removes it. Throws the errors of `updateWebhookUrl`. */
export async function setUrlTopics(
  deps: Pick<Deps, 'db' | 'spend'>,
  caller: Caller,
  by: By,
  id: string,
  topics: readonly Topic[],
): Promise<void> {
  const { vaultId, url } = await findUrlToChange(deps, caller, id)
  await changeTopics(deps.db, by, vaultId, (before) => withTopics(before, url, topics))
}

const changeTopics = (db: Database, by: By, vaultId: string, changed: (before: UrlList) => UrlList) =>
  updateWebhookSettings(db, by, vaultId, {
    urls: (before) => {
      const urls = changed(before)
      if (Object.values(urls).some((each) => each.length > MAX_URLS))
        throw new RequestRefused({ code: 'too_many', field: 'topics' })
      return urls
    },
  })

/** Returns the progress of the newest resending. Throws `not_found`. */
export const getResend = async (deps: WithDb, user: UrlUser, id: string): Promise<Resend> =>
  readResend(deps.db, (await findUrl(deps, user, 'read', id)).id)

/** Starts to send all failed deliveries of the URL again. Throws `not_found` and `resend_in_progress`. */
export async function startResend(
  deps: ChangeDeps,
  user: UrlUser,
  by: By,
  id: string,
  asked: { readonly since: Date; readonly perSecond: number },
): Promise<Resend> {
  const url = await findUrlToChange(deps, user, id)
  const started = await transaction(deps.db, async (tx) => {
    const resend = await startResending(tx, url, asked)
    if (!resend) throw new RequestRefused({ code: 'resend_in_progress' })
    await recordResend(tx, by, url, 'started')
    return resend
  })
  deps.notifier.notify([id])
  return started
}

startResend.refuses = ['resend_in_progress'] as const satisfies Refusals

/** Stops the resending, if one is running. Throws `not_found`. */
export async function stopResend(deps: Pick<Deps, 'db' | 'spend'>, user: UrlUser, by: By, id: string) {
  const url = await findUrlToChange(deps, user, id)
  return transaction(deps.db, async (tx) => {
    if (await stopResending(tx, id)) await recordResend(tx, by, url, 'stopped')
    return readResend(tx, id)
  })
}

/** Sends one delivery again to its URLs that failed. Throws `not_found`, and the refusals of a retry. */
export async function resendDelivery(deps: ChangeDeps, user: UrlUser, by: By, id: string, logId: string) {
  const url = await findUrlToChange(deps, user, id)
  await transaction(deps.db, async (tx) => {
    await retryLog(tx, url.vaultId, logId, true)
    await recordResend(tx, by, url, logId)
  })
  deps.notifier.notify([logId])
}

/** Records that a resending was started or stopped, or the ID of a delivery that was sent again. */
const recordResend = (tx: Database, by: By, { vaultId, url }: WebhookUrl, to: string) =>
  recordAudit(tx, by, {
    action: 'webhook_url_options_changed',
    ...aboutVault(vaultId),
    changes: { url: { to: withoutQuery(url) }, resend: { to } },
  })
