/** Defines a verification provider that is called over HTTP and returns its result later (docs/providers.md). */
import { activityInfo } from '@temporalio/activity'
import { createCheckLink } from '../src/db/cases/check-link.ts'
import type { Database } from '../src/db/connection/database.ts'
import { findAttachedFiles } from '../src/db/files/file.ts'
import { entered, PERSON_FILES } from '../src/domain/identification/person-form.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import type { Connections } from '../src/webhooks/egress.ts'
import { sendWebhook } from '../src/webhooks/send.ts'
import type { VerificationProvider } from './verification-provider.ts'

interface HttpProviderOptions {
  readonly db: Database
  readonly egress: Connections
  readonly url: string
  readonly secret: string
  /** The address at which the provider can reach Gatehouse. */
  readonly publicUrl: string
}

/** The statuses, other than server errors, after which the request is repeated. */
const TEMPORARY = new Set([408, 425, 429])

const isAccepted = (status: number): boolean => status >= 200 && status < 300

export function httpProvider(options: HttpProviderOptions): VerificationProvider {
  const { db, egress, url, secret, publicUrl } = options
  return {
    name: 'http',
    async verify(identification, check, span) {
      const attributes = {
        check_id: check.id,
        identification_id: identification.id,
        vault_id: identification.vaultId,
        external_uuid: identification.externalUuid,
        kind: identification.kind,
        origin: identification.origin,
        profile: entered(identification.profile),
        documents: await documents(db, publicUrl, identification, check.id),
        callback_url: `${publicUrl}/provider/checks/${check.id}`,
      }
      const body = JSON.stringify({ data: { event: 'check_requested', attributes } })
      const checkId = { 'gatehouse.check.id': check.id }
      const trace = { span, attributes: checkId, isSent: true, isAccepted }
      const attempt = { eventId: check.id, number: activityInfo().attempt, body, secrets: [secret], trace }
      const { statusCode, error } = await sendWebhook(egress, url, attempt)
      if (statusCode === null) throw new Error(error ?? 'there was no response')
      if (isAccepted(statusCode)) return 'later'
      if (statusCode >= 500 || TEMPORARY.has(statusCode)) throw new Error(`HTTP status ${statusCode}`)
      return 'refused'
    },
  }
}

async function documents(db: Database, publicUrl: string, { id, profile }: Identification, checkId: string) {
  const stored = await findAttachedFiles(db, { identificationId: id })
  const shown = PERSON_FILES.flatMap((attribute) => {
    const file = stored.get(profile[attribute] ?? '')
    return file ? [{ attribute, file }] : []
  })
  const links: object[] = []
  for (const { attribute, file } of shown) {
    const token = await createCheckLink(db, checkId, file.id)
    const { contentType: content_type, size, sha256 } = file
    links.push({ attribute, content_type, size, sha256, url: `${publicUrl}/provider/files/${token}` })
  }
  return links
}
