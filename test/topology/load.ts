/** Callers of Gatehouse that record their responses and waiting times. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

export interface Answer {
  readonly what: string
  /** 0 if there was no response. */
  readonly status: number
  readonly ms: number
  /** The time at which the request was sent. */
  readonly at: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
  readonly body: any
}

export type Client = ReturnType<typeof createClient>

export function createClient(url: string, token: string, connections = 64) {
  const dispatcher = new Agent({ connections })
  async function send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    body?: object,
  ): Promise<Answer> {
    const at = Date.now()
    const from = performance.now()
    const answered = (status: number, text: string): Answer => ({
      what: `${method} ${path.replace(/[0-9a-f-]{36}/, ':id')}`,
      status,
      ms: performance.now() - from,
      at,
      body: text === '' ? null : JSON.parse(text),
    })
    try {
      const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: token }) }
      const payload = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await request(url + path, { method, headers, dispatcher, ...payload })
      const text = await answer.body.text()
      // The pages of a proxy are not JSON.
      return answered(answer.statusCode, text.startsWith('<') ? '' : text)
    } catch {
      return answered(0, '')
    }
  }
  return { send, close: () => dispatcher.destroy() }
}

/** Creates an application and returns its ID. */
export async function createKyb(client: Client): Promise<string> {
  const { status, body } = await client.send('POST', '/v1/kyb', { external_id: crypto.randomUUID() })
  if (status !== 201) throw new Error(`an application was not created: ${status} ${JSON.stringify(body)}`)
  return body.data.id
}

export const nameCompany = (client: Client, id: string, name: string): Promise<Answer> =>
  client.send('PATCH', `/v1/kyb/${id}`, { nature_of_business: { legal_company_name: name } })

export const nameOf = (answer: Answer): string => answer.body?.data?.nature_of_business?.legal_company_name

/** Starts callers that each change and read their own application and create others, until stopped. */
export async function startLoad(client: Client, callers: number, pauseMs: number) {
  const ids = await Promise.all(Array.from({ length: callers }, () => createKyb(client)))
  const answers: Answer[] = []
  /** The last acknowledged name of each application, and later names without a response. */
  const possible = new Map<string, string[]>()
  let going = true
  async function call(id: string): Promise<void> {
    for (let n = 0; going; n += 1) {
      const name = `Company ${n}`
      const changed = await nameCompany(client, id, name)
      answers.push(changed)
      if (changed.status === 200) possible.set(id, [name])
      // A 503 means that the change was not applied. Without a response, the result is unknown.
      else if (changed.status !== 503) possible.set(id, [...(possible.get(id) ?? []), name])
      answers.push(await client.send('GET', `/v1/kyb/${id}`))
      if (n % 5 === 0)
        answers.push(await client.send('POST', '/v1/kyb', { external_id: crypto.randomUUID() }))
      await sleep(pauseMs)
    }
  }
  const calling = Promise.all(ids.map(call))
  return {
    answers,
    async stop() {
      going = false
      await calling
      return { answers, possible }
    },
  }
}

export const slowest = (answers: readonly Answer[]): number => Math.max(0, ...answers.map(({ ms }) => ms))
/** Returns the unsuccessful responses in short form. */
export const failed = (answers: readonly Answer[]): string[] =>
  answers
    .filter(({ status }) => !isWell(status))
    .map(({ what, status, ms }) => `${what}: ${status} (${ms | 0} ms)`)
export const isWell = (status: number): boolean => status >= 200 && status < 300

/** Returns the number of responses for each status. */
export function statuses(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}
