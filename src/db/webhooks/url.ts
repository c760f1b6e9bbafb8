/** Queries for the options of webhook URLs. A URL has the same ID whenever it is registered in its vault. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { v5 as idFromName } from 'uuid'
import { webhookSettings, webhookUrls } from '../../../drizzle/schema.ts'
import { aboutVault, auditChanges, type By } from '../../domain/access/audit.ts'
import type { UrlList } from '../../domain/webhook/events.ts'
import {
  changeCertificates,
  changeHeaders,
  type Headers,
  type HeadersSet,
  topicsByUrl,
  type UrlCertificates,
  type UrlChange,
  type WebhookUrl,
  withoutQuery,
} from '../../domain/webhook/url.ts'
import { recordAudit } from '../audit/audit.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'

export const webhookUrlId = (vaultId: string, url: string): string => idFromName(url, vaultId)

type Row = typeof webhookUrls.$inferSelect

const headersContext = (id: string) => sealedFor('webhook_urls.headers', id)
const keyContext = (id: string) => sealedFor('webhook_urls.client_key', id)

export async function listWebhookUrls(db: Database, vaultIds: readonly string[]): Promise<WebhookUrl[]> {
  const { vaultId, urlList } = webhookSettings
  const settings = await db.orm
    .select({ vaultId, urlList })
    .from(webhookSettings)
    .where(eqAny(vaultId, vaultIds))
    .orderBy(vaultId)
  const rows = await db.orm.select().from(webhookUrls).where(eqAny(webhookUrls.vaultId, vaultIds))
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  return settings.flatMap(({ vaultId, urlList }) =>
    [...topicsByUrl(urlList)].map(([url, topics]) => {
      const id = webhookUrlId(vaultId, url)
      return { id, vaultId, url, topics, ...optionsOf(rowOf.get(id)) }
    }),
  )
}

type Options = Omit<WebhookUrl, 'id' | 'vaultId' | 'url' | 'topics'>

const optionsOf = (row: Row | undefined): Options => ({
  name: row?.name ?? null,
  events: row?.events ?? null,
  headerNames: row?.headerNames ?? [],
  headersSet: row?.headersSet ?? {},
  paused: row?.paused ?? false,
  maxPerSecond: row?.maxPerSecond ?? null,
  ca: row?.ca ?? null,
  clientCertificate: row?.clientCertificate ?? null,
})

/** Throws if the headers or certificates that result from a change are not allowed. */
interface UrlChecks {
  readonly headers: (headers: Headers) => void
  readonly certificates: (certificates: UrlCertificates) => void
}

/** Changes the options of a registered URL. Returns the URL, or null if it is not registered any longer. */
export const updateWebhookUrl = (
  db: Database,
  by: By,
  { id, vaultId, url }: Pick<WebhookUrl, 'id' | 'vaultId' | 'url'>,
  change: UrlChange,
  check: UrlChecks,
): Promise<WebhookUrl | null> =>
  transaction(db, async (tx) => {
    const topics = topicsByUrl(await getUrlListForUpdate(tx, vaultId)).get(url)
    if (!topics) return null
    const [before] = await tx.orm.select().from(webhookUrls).where(eq(webhookUrls.id, id))
    const {
      headers: headerChange,
      ca: _ca,
      clientCertificate: _certificate,
      clientKey: _key,
      ...others
    } = change
    const headers = headerChange === undefined ? null : sealHeaders(tx, before, id, headerChange, check)
    const certificates = sealCertificates(tx, before, id, change, check)
    const after = {
      ...optionsOf(before),
      ...withoutUndefined(others),
      ...(headers && {
        headerNames: headers.names,
        headersSet: headersSetBy(by.actor, headers, before?.headersSet ?? {}),
      }),
      ...(certificates && {
        ca: certificates.values.ca,
        clientCertificate: certificates.values.clientCertificate,
      }),
    } as Options
    const changes = {
      ...auditChanges(auditedOf(optionsOf(before)), auditedOf(after)),
      ...(headers && headers.changed.length > 0 && { headers: { to: headers.changed } }),
      ...certificates?.changes,
    }
    const found = { id, vaultId, url, topics }
    if (Object.keys(changes).length === 0) return { ...found, ...optionsOf(before) }
    const { paused, maxPerSecond } = after
    const values = {
      ...after,
      events: after.events && [...after.events],
      headerNames: [...after.headerNames],
      ...(headers && { headers: headers.sealed }),
      ...certificates?.values,
      ...(before?.paused && !paused && { resumedAt: sql`clock_timestamp()` }),
    }
    const queued = paused || maxPerSecond !== null
    await tx.orm
      .insert(webhookUrls)
      .values({ id, vaultId, url, ...values, queued })
      .onConflictDoUpdate({
        target: webhookUrls.id,
        // The queue of a resumed URL is drained first. A worker may be moving a delivery there.
        set: { ...values, queued: sql`${webhookUrls.queued} OR ${queued}` },
      })
    await changeOptionsVersion(tx, vaultId)
    await recordAudit(tx, by, {
      action: 'webhook_url_options_changed',
      ...aboutVault(vaultId),
      changes: { url: { to: withoutQuery(url) }, ...changes },
    })
    return { ...found, ...after }
  })

const withoutUndefined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

const auditedOf = ({ name, events, headerNames, paused, maxPerSecond }: Options) => ({
  name,
  events,
  headerNames,
  paused,
  maxPerSecond,
})

function headersSetBy(
  actor: string,
  { names, changed }: { readonly names: readonly string[]; readonly changed: readonly string[] },
  before: HeadersSet,
): HeadersSet {
  const set = { by: actor, at: new Date().toISOString() }
  const entries = names.map((name) => [name, changed.includes(name) ? set : before[name]] as const)
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined)) as HeadersSet
}

/** Changes the headers. Damaged headers are lost, so that they can be replaced. */
function sealHeaders(
  tx: Database,
  row: Row | undefined,
  id: string,
  change: NonNullable<UrlChange['headers']> | null,
  check: UrlChecks,
) {
  const before = orNull(() => readHeaders(tx, row)) ?? {}
  const after = changeHeaders(before, change)
  check.headers(after)
  const names = Object.keys(after)
  return {
    names,
    changed: names.filter((name) => after[name] !== before[name]),
    sealed: names.length === 0 ? null : tx.encryption.sealJson(after, headersContext(id)),
  }
}

/** Changes the certificates. Returns null if the change contains none of them. */
function sealCertificates(
  tx: Database,
  row: Row | undefined,
  id: string,
  change: UrlChange,
  check: UrlChecks,
) {
  if ([change.ca, change.clientCertificate, change.clientKey].every((value) => value === undefined))
    return null
  const before: UrlCertificates = {
    ca: row?.ca ?? null,
    clientCertificate: row?.clientCertificate ?? null,
    // A damaged key is lost, so that it can be replaced.
    clientKey: orNull(() => readClientKey(tx, row)),
  }
  const after = changeCertificates(before, change)
  check.certificates(after)
  const { ca, clientCertificate, clientKey } = after
  return {
    changes: auditChanges({ ...before }, { ca, clientCertificate, clientKey }, Object.keys(after)),
    values: {
      ca,
      clientCertificate,
      clientKey: clientKey === null ? null : tx.encryption.seal(clientKey, keyContext(id)),
    },
  }
}

async function getUrlListForUpdate(tx: Database, vaultId: string): Promise<UrlList> {
  const [row] = await tx.orm
    .select({ urlList: webhookSettings.urlList })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
    .for('update')
  return row?.urlList ?? {}
}

const changeOptionsVersion = (tx: Database, vaultId: string) =>
  tx.orm
    .update(webhookSettings)
    .set({ optionsVersion: sql`${webhookSettings.optionsVersion} + 1` })
    .where(eq(webhookSettings.vaultId, vaultId))

/** Returns the condition for URLs that are registered for at least one topic. */
export const isRegistered = (urlList: SQL, url: SQL): SQL =>
  sql`jsonb_path_exists(${urlList}, '$.*[*] ? (@ == $url)', jsonb_build_object('url', ${url}))`

/** Deletes the options of URLs that are no longer registered, with their secrets. */
export async function deleteOptionsOfUnregisteredUrls(tx: Database, vaultId: string): Promise<void> {
  const deleted = await tx.orm.execute(sql`
    DELETE FROM webhook_urls AS url USING webhook_settings AS settings
    WHERE url.vault_id = ${vaultId} AND settings.vault_id = url.vault_id
      AND NOT ${isRegistered(sql`settings.url_list`, sql`url.url`)}
    RETURNING url.id`)
  if (deleted.length > 0) await changeOptionsVersion(tx, vaultId)
}

export interface SendingOptions {
  readonly id: string
  readonly paused: boolean
  /** Whether deliveries pass through the queue of the URL. */
  readonly queued: boolean
  readonly headers: Headers
  readonly certificates: {
    readonly ca: string | null
    readonly client: { readonly certificate: string; readonly key: string } | null
  } | null
  /** Whether the headers or the key cannot be decrypted. */
  readonly isDamaged: boolean
}

/** The options of a vault's URLs by URL. Newer options have a higher version. */
export interface VaultOptions {
  readonly version: number
  readonly ofUrl: ReadonlyMap<string, SendingOptions>
}

export async function readSendingOptions(db: Database, vaultId: string): Promise<VaultOptions> {
  const rows = await db.orm
    .select({ version: webhookSettings.optionsVersion, url: webhookUrls })
    .from(webhookSettings)
    .leftJoin(webhookUrls, eq(webhookUrls.vaultId, webhookSettings.vaultId))
    .where(eq(webhookSettings.vaultId, vaultId))
  const ofUrl = rows.flatMap(({ url }) => (url ? [[url.url, sendingOptionsOf(db, url)] as const] : []))
  return { version: rows[0]?.version ?? 0, ofUrl: new Map(ofUrl) }
}

function sendingOptionsOf(db: Database, row: Row): SendingOptions {
  const { id, paused, queued, ca, clientCertificate } = row
  const secrets = orNull(() => ({ headers: readHeaders(db, row), key: readClientKey(db, row) }))
  const client =
    clientCertificate !== null && secrets?.key ? { certificate: clientCertificate, key: secrets.key } : null
  const certificates = ca === null && client === null ? null : { ca, client }
  return { id, paused, queued, headers: secrets?.headers ?? {}, certificates, isDamaged: secrets === null }
}

function readClientKey({ encryption }: Database, row: Pick<Row, 'id' | 'clientKey'> | undefined) {
  return row?.clientKey ? encryption.unseal(row.clientKey, keyContext(row.id)).toString() : null
}

function readHeaders({ encryption }: Database, row: Pick<Row, 'id' | 'headers'> | undefined): Headers {
  if (!row?.headers) return {}
  return encryption.unsealJson(row.headers, headersContext(row.id))
}

/** Returns the filter of each URL that receives only some events. */
export async function readEventFilters(
  tx: Database,
  vaultId: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await tx.orm
    .select({ url: webhookUrls.url, events: webhookUrls.events })
    .from(webhookUrls)
    .where(and(eq(webhookUrls.vaultId, vaultId), sql`${webhookUrls.events} IS NOT NULL`))
  return new Map(rows.map(({ url, events }) => [url, events ?? []]))
}
