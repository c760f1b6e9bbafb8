/**
 * Runs an example of a verification provider. It accepts each check immediately, fetches the documents, and sends the
 * result by callback.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { signatureHeader } from '../../src/webhooks/signature.ts'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'

interface Check {
  readonly check_id: string
  readonly identification_id: string
  readonly profile: Readonly<Record<string, string>>
  readonly documents: readonly {
    readonly attribute: string
    readonly content_type: string
    readonly sha256: string
    readonly url: string
  }[]
  readonly callback_url: string
}

interface ProviderOptions {
  readonly secret: string
  readonly delayMs: number
  readonly print: (line: string) => void
}

const MAX_PAUSE_MS = 60_000
const MAX_TRIES = 3

export function createProvider({ secret, delayMs, print }: ProviderOptions): Server {
  /** The work for each accepted check. Gatehouse repeats a request if the response was slow. */
  const taken = new Map<string, Promise<void>>()
  /** Identifications whose applicant was asked to retake a photo. */
  const asked = new Set<string>()

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const verified = verifyWebhook(await buffer(req), req.headers['service-signature'], secret)
    if (!verified.ok || verified.event !== 'check_requested') {
      print(`REFUSED a request: ${verified.ok ? verified.event : verified.reason}`)
      res.writeHead(401).end()
      return
    }
    const check = verified.attributes as unknown as Check
    const isNew = !taken.has(check.check_id)
    print(`${check.check_id}  ${isNew ? 'accepted' : 'received again, no action required'}`)
    if (isNew) taken.set(check.check_id, work(check))
    res.writeHead(202).end()
  }

  async function work(check: Check): Promise<void> {
    try {
      for (const document of check.documents) await inspectWithRetries(check, document)
      await sleep(delayMs)
      await answer(check, decisionOn(check, asked))
    } catch {
      // If the result does not arrive, an operator decides.
      await answer(check, { outcome: 'manual' })
    }
  }

  /** Inspects a document. Repeats a failed download, because a link can be used several times. */
  async function inspectWithRetries(check: Check, document: Check['documents'][number]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await inspect(check, document)
      } catch (error) {
        print(`${check.check_id}  ${(error as Error).message}`)
        if (tries === MAX_TRIES) throw error
        await sleep(2 ** tries * 1_000)
      }
    }
  }

  async function inspect({ check_id }: Check, document: Check['documents'][number]): Promise<void> {
    const response = await fetch(document.url)
    if (!response.ok) throw new Error(`The link for ${document.attribute} returned ${response.status}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    const isWhole = createHash('sha256').update(bytes).digest('hex') === document.sha256
    print(
      `${check_id}  fetched ${document.attribute}: ${document.content_type}, ${bytes.length} bytes, ${isWhole ? 'whole' : 'DAMAGED'}`,
    )
  }

  /** Retries with growing pauses until the result is accepted, because an applicant waits for it. */
  async function answer({ check_id, callback_url }: Check, decision: object): Promise<void> {
    const body = JSON.stringify({ check_id, ...decision })
    for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const signature = signatureHeader([secret], body, Math.floor(Date.now() / 1000))
      const headers = { 'Content-Type': 'application/json', 'Service-Signature': signature }
      const response = await fetch(callback_url, { method: 'POST', headers, body }).catch(() => null)
      print(`${check_id}  answered ${JSON.stringify(decision)}: ${response?.status ?? 'no response'}`)
      if (response && response.status < 500 && response.status !== 429) return
      await sleep(pauseMs)
    }
  }

  return createServer((req, res) => {
    receive(req, res).catch(() => res.destroy())
  })
}

/**
 * A real provider would check the documents. Here, the result depends on the beginning of the name, as in the sandbox.
 */
function decisionOn({ identification_id, profile, documents }: Check, asked: Set<string>): object {
  const name = (profile.name ?? '').toLowerCase()
  if (name.startsWith('rejected')) return { outcome: 'rejected', reason_code: 'information_mismatch' }
  if (name.startsWith('attention')) return { outcome: 'attention' }
  if (name.startsWith('manual')) return { outcome: 'manual' }
  if (name.startsWith('retry') && documents.length > 0 && !asked.has(identification_id)) {
    asked.add(identification_id)
    return { outcome: 'initiated', reason_code: 'documents_unreadable', fields: ['document_front'] }
  }
  return { outcome: 'approved' }
}
