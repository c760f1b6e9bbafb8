/** A company's hosted form as a browser without scripts uses it. */

import { expect } from 'vitest'
import { csrfIn } from './form.ts'
import type { Instance } from './instance.ts'
import { completeApplication } from './kyb.ts'

type Begun = Pick<Instance, 'api'>

/** Creates a company's hosted verification. Returns the path of its link, and the password that opens the link. */
export async function beginCompany({ api }: Begun, externalUuid: string, more: object = {}) {
  const asked = { type: 'kyb', external_uuid: externalUuid, ...more }
  const { data } = (await api.post('/identifications/create_identify_process', asked)).body
  return { link: new URL(data.url).pathname, password: data.generated_password as string }
}

/** Sends a GET without a form, or a POST with one. */
export function sendForm(url: string, form?: object | BodyInit, headers: Record<string, string> = {}) {
  const isText = form === undefined || typeof form === 'string' || form instanceof FormData
  const body = isText ? form : new URLSearchParams(form as Record<string, string>)
  const init = { headers, redirect: 'manual' as const, ...(body !== undefined && { method: 'POST', body }) }
  return fetch(url, init)
}

/** Opens the link, and returns the data for the form's next request. */
export async function startForm(baseUrl: string, { link, password }: { link: string; password: string }) {
  const answer = await sendForm(baseUrl + link, { password })
  expect(answer.status).toBe(303)
  const base = answer.headers.get('Location') ?? ''
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';')[0])
  const headers = { Cookie: cookie.join('; ') }
  const page = await (await sendForm(`${baseUrl}${base}/nature_of_business`, undefined, headers)).text()
  return { base, headers, csrf: csrfIn(page) }
}

/** The requests of a company's browser to an instance. */
export function companyPages(gatehouse: Pick<Instance, 'api' | 'baseUrl'>) {
  const { api, baseUrl } = gatehouse
  const begin = (externalUuid: string) => beginCompany(gatehouse, externalUuid)
  const send = (path: string, ...form: [form?: object | BodyInit, headers?: Record<string, string>]) =>
    sendForm(baseUrl + path, ...form)
  const signIn = (company: { link: string; password: string }) => startForm(baseUrl, company)

  async function kybOf(externalUuid: string) {
    return (await api.get(`/kyb?external_id=${externalUuid}`)).body.data[0]
  }

  /** Creates a complete application and opens its form. */
  async function openComplete() {
    const { id } = await completeApplication(api)
    const { data } = (await api.post(`/kyb/${id}/form_link`, { new_password: true })).body
    const company = { link: new URL(data.url).pathname, password: data.generated_password }
    const { base, headers, csrf } = await signIn(company)
    const read = async (page = '') => (await send(`${base}${page}`, undefined, headers)).text()
    const post = (page: string, form: object = {}) =>
      send(`${base}${page}`, { _csrf: csrf, ...form }, headers)
    return { id, base, headers, csrf, read, post }
  }
  return { begin, send, signIn, kybOf, openComplete }
}
