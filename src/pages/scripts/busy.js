// @ts-check
/** Shows that a form is being sent, and ignores further clicks until the reader leaves or stays. */
import { createLeaving } from './page.js'

const BUSY = 'aria-busy'

/** Makes all buttons available again, because the reader stays on the page. */
export function endBusy() {
  for (const button of document.querySelectorAll(`button[${BUSY}]`)) button.removeAttribute(BUSY)
}

const leaving = createLeaving(endBusy)

/**
 * Marks the button that sends the form. Scripts that send a form without leaving the page call `endBusy` afterwards.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
export function beginBusy(form, submitter) {
  const button = submitter ?? form.querySelector('button:not([type="button"])')
  button?.setAttribute(BUSY, 'true')
  leaving.begin()
}

// Runs after the scripts that send a form themselves.
window.addEventListener('submit', ({ defaultPrevented, target, submitter }) => {
  if (defaultPrevented || !(target instanceof HTMLFormElement) || target.method === 'dialog') return
  if (submitter?.getAttribute('formtarget') !== '_blank') beginBusy(target, submitter)
})
document.addEventListener(
  'click',
  (event) => {
    const button = event.target instanceof Element ? event.target.closest(`[${BUSY}="true"]`) : null
    if (button && leaving.is()) event.preventDefault()
  },
  true,
)
