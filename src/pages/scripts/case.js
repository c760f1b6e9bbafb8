// @ts-check
/** Switches between the tabs of a case without loading the page, so that the open document and typed text stay. */

import { enliven } from './page.js'

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

/** @param {MouseEvent} event */
export const isPlainClick = (event) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey

function caseTabs() {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || link.pathname !== location.pathname) return
    const tab = tabOf(link)
    if (!document.getElementById(`tab-${tab}`) || link.dataset.document) return
    event.preventDefault()
    history.replaceState(null, '', link.href)
    showTab(tab)
    document.getElementById(decodeURIComponent(link.hash.slice(1)))?.scrollIntoView()
  })
  window.addEventListener('hashchange', showPlace)
  showPlace()
}

enliven('[data-case]', caseTabs)
