// @ts-check
/** Functions that the scripts share. All texts come from the page and are in its language. */

/**
 * Replaces the placeholders of a text with values.
 * @param {string | undefined} text
 * @param {Record<string, string>} values
 */
export const fill = (text = '', values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)

/**
 * Creates an element with these properties.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Partial<HTMLElementTagNameMap[T]>} properties
 * @returns {HTMLElementTagNameMap[T]}
 */
export const create = (tag, properties) => Object.assign(document.createElement(tag), properties)

/** @type {[selector: string, start: (element: HTMLElement) => void][]} */
const features = []

/**
 * Starts a feature on the elements in one part of the page.
 * @param {ParentNode} place
 * @param {[selector: string, start: (element: HTMLElement) => void]} feature
 */
const startIn = (place, [selector, start]) => {
  for (const element of place.querySelectorAll(selector)) start(/** @type {HTMLElement} */ (element))
}

/**
 * Starts a feature on all elements that need it, now and after a refresh. Without scripts, every page works with its
 * forms and links.
 * @param {string} selector
 * @param {(element: HTMLElement) => void} start
 */
export function enliven(selector, start) {
  features.push([selector, start])
  startIn(document, [selector, start])
}

/** Starts all features on content that a script has fetched. @param {HTMLElement} main */
export function enlivenAll(main) {
  for (const feature of features) startIn(main, feature)
}

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  const announcement = document.getElementById('announcement')
  if (announcement) announcement.textContent = text
}

/** Returns true if the click opens the link in this tab. @param {MouseEvent} event */
export const isPlainClick = ({ button, altKey, ctrlKey, metaKey, shiftKey }) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey

/** Replaces `AbortSignal.timeout`, which browsers released before 2022 lack. @param {number} ms */
export function timeoutSignal(ms) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

/** Fetches the current version of the page. */
export async function fetchPage() {
  const response = await fetch(document.body.dataset.page ?? '', { signal: timeoutSignal(20_000) })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return { response, page }
}

const TOKEN = 'input[name="_csrf"]'

/**
 * Renews the token of all forms on the page, for example after the applicant opened the link again. Returns 'ended' if
 * the session has expired, and 'none' if the current page has no form.
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

/** Returns the CSRF token of a form. @param {HTMLFormElement} form */
export const tokenOf = (form) => form.querySelector(TOKEN)?.getAttribute('value') ?? ''

/**
 * @typedef {{ field: string, message: string, text?: string, theirs?: string[], stored?: string }} Problem
 *   `theirs` contains the values that someone else entered in the meantime, and `stored` contains their stored form.
 */

/**
 * Returns the server's message for a refused request, from JSON or from the heading of a page.
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
 * Makes the browser ask for confirmation before the reader leaves the page, if input would be lost.
 * @param {() => boolean} isUnsaved
 */
export const warnWhile = (isUnsaved) => unsaved.push(isUnsaved)

window.addEventListener('beforeunload', (event) => {
  if (unsaved.some((isUnsaved) => isUnsaved())) event.preventDefault()
})

/** The maximum time to wait for the next page, because no event reports that the reader has stopped loading it. */
const MAX_LEAVING_MS = 10_000

/**
 * Tracks whether the reader is leaving the page. `begin` starts this state. `is` returns true until the reader stays
 * (in the browser's dialog or with Escape), returns to the page, or the time expires.
 * @param {() => void} [onStay] called when the reader stays or returns
 */
export function createLeaving(onStay) {
  let until = 0
  const stay = () => {
    until = 0
    onStay?.()
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
