/** The settings pages of the console, as a browser without scripts uses them. */
import { expect } from 'vitest'
import { csrfIn, sentFields } from './form.ts'
import { sendForm } from './hosted-page.ts'

export const BASE = '/console/settings'

/** Signs in to the console. */
export async function enterSettings(baseUrl: string, email: string, password: string) {
  const answer = await sendForm(`${baseUrl}/console/sign_in`, { email, password })
  expect(answer.status).toBe(303)
  const headers = { Cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
  const get = async (path: string) => {
    const page = await sendForm(baseUrl + path, undefined, headers)
    return { status: page.status, to: page.headers.get('Location'), text: await page.text() }
  }
  const post = async (path: string, form: object, csrf?: string) => {
    const _csrf = csrf ?? csrfIn((await get('/console/settings/users/new')).text)
    const fields = Array.isArray(form) ? [['_csrf', _csrf ?? ''], ...form] : { _csrf: _csrf ?? '', ...form }
    const body = form instanceof FormData ? form : new URLSearchParams(fields)
    if (form instanceof FormData) form.append('_csrf', _csrf ?? '')
    const page = await sendForm(baseUrl + path, body, headers)
    const [cookie = ''] = page.headers.getSetCookie().map((each) => each.split(';')[0])
    return { status: page.status, to: page.headers.get('Location'), text: await page.text(), cookie }
  }
  /** Returns the fields that a browser would send, with these values for one field. */
  const filledIn = async (path: string, field: string, ...values: string[]): Promise<[string, string][]> => {
    const fields = sentFields((await get(path)).text, path)
    return [
      ...fields.filter(([name]) => name !== field),
      ...values.map((value): [string, string] => [field, value]),
    ]
  }
  return { get, post, filledIn, cookie: headers.Cookie }
}

export const idIn = (to: string | null) => to?.split('/').at(-1) ?? ''
