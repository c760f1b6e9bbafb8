/** Callers of a Gatehouse: what each was answered, and how long it waited. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

export interface Answer {
  readonly what: string
  /** 0 where none came. */
  readonly status: number
  readonly ms: number
  /** When it was asked. */
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
      return answered(answer.statusCode, await answer.body.text())
    } catch {
      return answered(0, '')
    }
  }
  return { send, close: () => dispatcher.destroy() }
}

/** A new application's id. */
export async function createKyb(client: Client): Promise<string> {
  const { status, body } = await client.send('POST', '/v1/kyb', { external_id: crypto.randomUUID() })
  if (status !== 201) throw new Error(`an application was not created: ${status} ${JSON.stringify(body)}`)
  return body.data.id
}

export const nameCompany = (client: Client, id: string, name: string): Promise<Answer> =>
  client.send('PATCH', `/v1/kyb/${id}`, { nature_of_business: { legal_company_name: name } })

export const nameOf = (answer: Answer): string => answer.body?.data?.nature_of_business?.legal_company_name

/** Callers that each change and read an application of their own, and create further ones, until told to stop. */
export async function startLoad(client: Client, callers: number, pauseMs: number) {
  const ids = await Promise.all(Array.from({ length: callers }, () => createKyb(client)))
  const answers: Answer[] = []
  /** The last name of each application that was acknowledged, and what was asked after it without an answer. */
  const possible = new Map<string, string[]>()
  let going = true
  async function call(id: string): Promise<void> {
    for (let n = 0; going; n += 1) {
      const name = `Company ${n}`
      const changed = await nameCompany(client, id, name)
      answers.push(changed)
      if (changed.status === 200) possible.set(id, [name])
      // Refused means not applied; without an answer nobody knows.
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
/** What was answered otherwise than well, in short. */
export const failed = (answers: readonly Answer[]): string[] =>
  answers
    .filter(({ status }) => !isWell(status))
    .map(({ what, status, ms }) => `${what}: ${status} (${ms | 0} ms)`)
export const isWell = (status: number): boolean => status >= 200 && status < 300

/** How many of each status. */
export function statuses(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}
