// @ts-check
/** Shows that a form is being sent, and ignores further clicks until the next page is loaded. */
import { enliven } from './page.js'

/** @type {HTMLElement[]} */
let busy = []

function reset() {
  for (const button of busy) button.removeAttribute('aria-busy')
  busy = []
}

enliven('[data-busy]', () => {
  // Runs after the scripts that send a form without leaving the page.
  window.addEventListener('submit', ({ defaultPrevented, target, submitter }) => {
    const isOfPage = target instanceof HTMLFormElement && target.method === 'post'
    if (defaultPrevented || !isOfPage || submitter?.getAttribute('formtarget') === '_blank') return
    const button = submitter ?? target.querySelector('button')
    if (!button) return
    button.setAttribute('aria-busy', 'true')
    busy.push(button)
  })
  document.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('[aria-busy="true"]') : null
      if (button) event.preventDefault()
    },
    true,
  )
  window.addEventListener('pageshow', reset)
})
