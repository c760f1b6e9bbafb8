// @ts-check
/** Switches tabs and marks fields without a reload, so that the document and the typed text remain. */
import { beginBusy, endBusy } from './busy.js'
import { announce, create, enliven, isPlainClick, refusalOf, timeoutSignal } from './page.js'

const LINKS = '.case-head .tabs > a'

/** @param {string} tab */
export function showTab(tab) {
  for (const part of document.querySelectorAll('[data-tabs]'))
    part.toggleAttribute('hidden', !(part.getAttribute('data-tabs') ?? '').split(' ').includes(tab))
  for (const link of document.querySelectorAll(LINKS)) {
    if (tabOf(link) === tab) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  document.querySelector('[data-case]')?.setAttribute('data-tab', tab)
  document.dispatchEvent(new Event('tabshown'))
}

/** @param {Element} link */
const tabOf = (link) => new URL(/** @type {HTMLAnchorElement} */ (link).href).searchParams.get('tab') ?? ''

/** Shows the tab that contains the place in the address. */
function showPlace() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const tab = place?.closest('[data-tabs][hidden]')?.getAttribute('data-tabs')?.split(' ')[0]
  if (!tab || !place) return
  showTab(tab)
  place.scrollIntoView()
}

function caseTabs() {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || link.pathname !== location.pathname) return
    const tab = tabOf(link)
    if (!document.getElementById(`tab-${tab}`) || link.matches('[data-document], [data-flag], [data-hit]'))
      return
    event.preventDefault()
    history.replaceState(null, '', link.href)
    showTab(tab)
    const place = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    const control = place?.matches('textarea') ? place : place?.querySelector('button, a')
    // The photos above a question stay in view. The keyboard continues with its buttons.
    place?.scrollIntoView({ block: control ? 'center' : 'start' })
    if (control instanceof HTMLElement) control.focus({ preventScroll: true })
  })
  window.addEventListener('hashchange', showPlace)
  showPlace()
}

/** @param {MouseEvent} event */
function flag(event) {
  const link = event.target instanceof Element ? event.target.closest('[data-flag]') : null
  const row = link?.closest('[data-mark]')
  const template = document.getElementById('flag-form')
  if (!(row instanceof HTMLElement) || !(template instanceof HTMLTemplateElement) || !isPlainClick(event))
    return
  event.preventDefault()
  const open = row.querySelector('form')
  if (!open) {
    const form = /** @type {HTMLFormElement} */ (template.content.querySelector('form')?.cloneNode(true))
    const { mark: key = '', label = '' } = row.dataset
    for (const field of form.querySelectorAll('[aria-label]'))
      field.setAttribute('aria-label', (field.getAttribute('aria-label') ?? '').replace('{label}', label))
    for (const field of form.querySelectorAll('[value="{key}"]')) field.setAttribute('value', key)
    const { code = '', comment = '' } = row.dataset
    const [select, text] = [form.querySelector('select'), form.querySelector('textarea')]
    if (select) select.value = code || (key.includes('#') ? 'unreadable' : 'mismatch')
    if (text) text.value = comment
    link?.closest('.mark-keys')?.after(form)
  }
  row.querySelector('textarea')?.focus()
}

/** Opens the flag form of a field in the tab that contains it, or of a document next to it. @param {string} key */
export function openFlag(key) {
  const opener = document.querySelector(`[data-film] [data-document="${key.split('#')[1]}"]`)
  if (opener instanceof HTMLElement) opener.click()
  const row = document.querySelector(`:is(.case-panel, [data-proof]) [data-mark="${CSS.escape(key)}"]`)
  const tab = row?.closest('.case-panel')?.getAttribute('data-tabs')
  if (!row) return
  if (tab) showTab(tab)
  const details = row.closest('details')
  if (details) details.open = true
  row.scrollIntoView({ block: 'center' })
  const link = row.querySelector(':scope > dd > .mark-keys [data-flag], :scope > .mark-keys [data-flag]')
  if (link instanceof HTMLElement) link.click()
}

/** Removes the flag of a field or document. @param {string} key */
export function clearMark(key) {
  const form = document.getElementById('marks')
  const button = create('button', { name: 'clear', value: key, hidden: true })
  if (!(form instanceof HTMLFormElement)) return
  form.append(button)
  form.requestSubmit(button)
  button.remove()
}

/** Sends the marks, and replaces all elements that show marks. @param {SubmitEvent} event */
async function save(event) {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-marks]')) return
  event.preventDefault()
  beginBusy(form, event.submitter)
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form, event.submitter)))
  const response = await fetch(form.action, { method: 'POST', body, signal: timeoutSignal(20_000) }).catch(
    () => null,
  )
  // Without a response, the browser submits the form and shows the problem.
  if (!response) return form.submit()
  endBusy()
  if (!response.ok) return announce(await refusalOf(response))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const focused = document.activeElement?.closest('[data-mark]')?.id
  for (const old of document.querySelectorAll('[data-fresh]')) {
    const fresh = page.getElementById(old.id)
    // Keeps what has not changed, such as the chosen outcome.
    if (fresh && !old.isEqualNode(fresh)) old.replaceWith(document.adoptNode(fresh))
  }
  document.dispatchEvent(new Event('marked'))
  const row = focused === undefined ? null : document.getElementById(focused)
  const target = row?.querySelector('button, a')
  if (target instanceof HTMLElement) target.focus()
}

document.addEventListener('click', flag)
document.addEventListener('submit', (event) => void save(event))

enliven('[data-case]', caseTabs)
