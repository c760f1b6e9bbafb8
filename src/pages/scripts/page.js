// @ts-check
/** What the scripts of pages have in common. All texts come with the page, in its language. */

/**
 * Puts values into the places of a text.
 * @param {string | undefined} text
 * @param {Record<string, string>} values
 */
export const fill = (text = '', values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)

/**
 * Said to those who do not see the page.
 * @param {string} text
 */
export function announce(text) {
  const announcement = document.getElementById('announcement')
  if (announcement) announcement.textContent = text
}

/** Browsers of before 2022 have no `AbortSignal.timeout`. @param {number} ms */
export function timeoutSignal(ms) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

/** The page as the server shows it now. */
export async function fetchPage() {
  const response = await fetch(document.body.dataset.page ?? '', { signal: timeoutSignal(20_000) })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return { response, page }
}

const TOKEN = 'input[name="_csrf"]'

/**
 * Renews the token of all forms of the page, for example after the link was opened again. Returns 'ended' if the session
 * has ended, and 'none' if the page has no form now.
 * @returns {Promise<'renewed' | 'none' | 'ended'>}
 */
export async function renewToken() {
  const { response, page } = await fetchPage()
  if (!response.ok) return 'ended'
  const token = page.querySelector(TOKEN)?.getAttribute('value')
  if (!token) return 'none'
  for (const input of document.querySelectorAll(TOKEN)) input.setAttribute('value', token)
  return 'renewed'
}

/** @param {HTMLFormElement} form */
export const tokenOf = (form) => form.querySelector(TOKEN)?.getAttribute('value') ?? ''

/**
 * @typedef {{ field: string, message: string, theirs?: string[] }} Problem
 *   `theirs` is what somebody else entered meanwhile.
 */

/**
 * Why nothing was done, in the server's words: by itself, or on a page.
 * @param {Response} response
 */
export async function refusalOf(response) {
  const text = await response.text()
  if (response.headers.get('Content-Type')?.startsWith('application/json'))
    return /** @type {Problem[]} */ (JSON.parse(text).problems ?? []).map(({ message }) => message).join(' ')
  return new DOMParser().parseFromString(text, 'text/html').querySelector('h1')?.textContent ?? ''
}

/** @type {(() => boolean)[]} */
const unsaved = []

/**
 * Leaving the page is asked about only while something would be lost.
 * @param {() => boolean} isUnsaved
 */
export const warnWhile = (isUnsaved) => unsaved.push(isUnsaved)

window.addEventListener('beforeunload', (event) => {
  if (unsaved.some((isUnsaved) => isUnsaved())) event.preventDefault()
})

/** A page that takes longer is not waited for: browsers tell nobody that they were stopped. */
const MAX_LEAVING_MS = 10_000

/**
 * Another page is asked for by `begin`, and `is` coming until somebody stays: whoever is asked may, or stops it by Escape,
 * and whoever has left may come back.
 */
export function createLeaving() {
  let until = 0
  const stay = () => {
    until = 0
  }
  window.addEventListener('beforeunload', ({ defaultPrevented }) => defaultPrevented && stay())
  window.addEventListener('pageshow', stay)
  window.addEventListener('keydown', ({ key }) => key === 'Escape' && stay())
  return {
    begin: () => {
      until = performance.now() + MAX_LEAVING_MS
    },
    is: () => performance.now() < until,
  }
}
