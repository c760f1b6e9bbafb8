// @ts-check
/** Shows that a form is being sent, and ignores further clicks until the reader leaves or stays. */
import { createLeaving, enliven } from './page.js'

const BUSY = 'aria-busy'

const leaving = createLeaving(() => {
  for (const button of document.querySelectorAll(`.button[${BUSY}]`)) button.removeAttribute(BUSY)
})

enliven('[data-busy]', () => {
  // Runs after the scripts that send a form without leaving the page.
  window.addEventListener('submit', ({ defaultPrevented, target, submitter }) => {
    const isOfPage = target instanceof HTMLFormElement && target.method === 'post'
    if (defaultPrevented || !isOfPage || submitter?.getAttribute('formtarget') === '_blank') return
    const button = submitter ?? target.querySelector('button')
    button?.setAttribute(BUSY, 'true')
    leaving.begin()
  })
  document.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest(`[${BUSY}="true"]`) : null
      if (button && leaving.is()) event.preventDefault()
    },
    true,
  )
})
