/** A verification provider for tests, which accepts requests and sends results as the test requires. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'
import { eventually } from './instance.ts'

export const SECRET = 'provider-secret-of-a-test-0123456789'

export interface AskedCheck {
  readonly check_id: string
  readonly identification_id: string
  readonly profile: Readonly<Record<string, string>>
  readonly documents: readonly { attribute: string; content_type: string; sha256: string; url: string }[]
  readonly callback_url: string
}

type Respond = (asked: AskedCheck, res: ServerResponse, nth: number) => unknown

const accept: Respond = (_asked, res) => res.writeHead(202).end()

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

export async function startProvider() {
  const asked: AskedCheck[] = []
  const headers: IncomingHttpHeaders[] = []
  const own = new Map<string, Respond>()
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const verified = verifyWebhook(await buffer(req), req.headers['service-signature'], SECRET)
    if (!verified.ok || verified.event !== 'check_requested') return void res.writeHead(401).end()
    const check = verified.attributes as unknown as AskedCheck
    asked.push(check)
    headers.push(req.headers)
    const times = asked.filter(({ check_id }) => check_id === check.check_id).length
    await (own.get(check.profile.surname ?? '') ?? accept)(check, res, times)
  }
  const server = createServer((req, res) => {
    receive(req, res).catch(() => res.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const askedOf = (id: string) => asked.filter(({ identification_id }) => identification_id === id)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/checks`,
    askedOf,
    /** The headers of all requests. */
    headers,
    /** Sets the response to requests about people with this surname. */
    when: (surname: string, respond: Respond) => own.set(surname, respond),
    /** Waits for this number of requests about the identification, and returns the latest. */
    untilAsked: (id: string, times = 1) =>
      eventually(() => {
        const check = askedOf(id)[times - 1]
        if (!check) throw new Error(`asked ${askedOf(id).length} times`)
        return check
      }),
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Signs a body as docs/providers.md describes, independently of the receiving code. */
export function signed(body: string, secret = SECRET, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

/** Sends a result. Returns the status of the response, with the code and the field of the first error. */
export async function send(url: string, body: string, signature = signed(body)): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'Service-Signature': signature }
  const response = await fetch(url, { method: 'POST', headers, body })
  const { errors } = (await response.json()) as { errors?: { code: string; field?: string }[] }
  const [first] = errors ?? []
  return [response.status, first?.code, first?.field].filter(Boolean).join(' ')
}

export const answer = ({ callback_url, check_id }: AskedCheck, outcome: string, more: object = {}) =>
  send(callback_url, JSON.stringify({ check_id, outcome, ...more }))
