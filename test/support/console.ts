/** The console as a browser without scripts uses it. */

import { sql } from 'drizzle-orm'
import type { Api } from './api.ts'
import { csrfIn } from './form.ts'
import { sendForm } from './hosted-page.ts'
import type { Instance } from './instance.ts'

type Credentials = { email: string; password: string } | Instance['credentials']

/**
 * Opens a session that keeps its cookies and sends the token with every form. The credentials are those of a person, or
 * of an instance or vault with an operator.
 */
export async function openConsole(baseUrl: string, credentials: Credentials, next = '/console') {
  const { email, password } =
    'email' in credentials
      ? credentials
      : { email: credentials.operator_email, password: credentials.operator_password }
  const cookies = new Map<string, string>()
  async function send(path: string, form?: object, more: Record<string, string> = {}) {
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const body = Array.isArray(form) ? new URLSearchParams(form as [string, string][]).toString() : form
    const type = Array.isArray(form) && { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await sendForm(baseUrl + path, body, { Cookie, ...type, ...more })
    for (const each of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (each.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    return answer
  }
  await send(`/console/sign_in?next=${encodeURIComponent(next)}`, { email, password })
  const csrf = csrfIn(await (await send('/console/password')).text())
  return {
    send,
    setCookie: (name: string, value: string) => void cookies.set(name, value),
    get: (path: string, headers?: Record<string, string>) => send(path, undefined, headers),
    text: async (path: string) => (await send(path)).text(),
    /** Sends the form. Pass repeated fields as pairs. */
    post: (path: string, form: readonly (readonly [string, string])[] | Record<string, string> = {}) =>
      send(path, [['_csrf', csrf], ...(Array.isArray(form) ? form : Object.entries(form))]),
  }
}

/** Creates an application that has waited on operators for this number of hours. */
export async function waitingFor(
  { db, api }: Instance,
  hours: number,
  by: Api = api,
  sections: object = {},
): Promise<string> {
  const id = await by.createKyb(undefined, sections)
  await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator',
    waiting_since = clock_timestamp() - make_interval(hours => ${hours}::int) WHERE id = ${id}`)
  return id
}
