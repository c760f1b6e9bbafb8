// @ts-check
/** A form that nothing saves before its button: while something is typed in it, leaving is asked about. */
import { createLeaving, warnWhile } from './page.js'

/** What is chosen with one key is not worth a question. */
const TYPED = 'textarea, select, input:not([type="hidden"], [type="radio"], [type="checkbox"])'

/** What was sent is not asked about while its answer comes. */
const leaving = createLeaving()
/** @type {EventTarget | null} */
let sent = null

document.addEventListener('submit', ({ target, submitter }) => {
  // What opens in a tab of its own leaves nothing.
  if (submitter?.getAttribute('formtarget') === '_blank') return
  sent = target
  leaving.begin()
})

/** @param {HTMLFormElement} form */
export function unsent(form) {
  const isTyped = (/** @type {Element} */ each) =>
    each.matches(TYPED) && /** @type {HTMLInputElement} */ (each).value.trim() !== ''
  // Some of them stand outside of the form that they belong to.
  warnWhile(() => !(leaving.is() && sent === form) && [...form.elements].some(isTyped))
}
