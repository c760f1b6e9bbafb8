// @ts-check
/** Makes the browser ask for confirmation before the reader leaves a form with text that only its button saves. */
import { createLeaving, enliven, warnWhile } from './page.js'

/** The inputs that require the confirmation. Radio buttons and checkboxes are quick to set again. */
const TYPED = 'textarea, select, input:not([type="hidden"], [type="radio"], [type="checkbox"])'

/** Suppresses the confirmation while a sent form is waiting for its response. */
const leaving = createLeaving()
/** @type {EventTarget | null} */
let sent = null

/** Returns the place that says whether the form is saved. */
const findStatus = () => /** @type {HTMLElement | null} */ (document.querySelector('.saving[data-offline]'))

window.addEventListener('online', () => {
  const status = findStatus()
  if (!status || status.textContent !== status.dataset.offline) return
  status.replaceChildren()
  delete status.dataset.state
})

document.addEventListener('submit', (event) => {
  const { target, submitter } = event
  // A form that opens in a new tab does not leave the page.
  if (submitter?.getAttribute('formtarget') === '_blank') return
  // The browser's page about the missing connection would replace the form.
  const status = findStatus()
  if (status && !navigator.onLine) {
    event.preventDefault()
    status.textContent = status.dataset.offline ?? ''
    status.dataset.state = 'bad'
    return
  }
  sent = target
  leaving.begin()
})

/** @param {HTMLFormElement} form */
function unsent(form) {
  const isTyped = (/** @type {Element} */ each) =>
    each.matches(TYPED) &&
    // Ignores the flags of a case, because they are already saved.
    !each.closest('[data-fresh]') &&
    /** @type {HTMLInputElement} */ (each).value.trim() !== ''
  // `elements` also contains inputs outside the form element.
  warnWhile(() => !(leaving.is() && sent === form) && [...form.elements].some(isTyped))
}

enliven('form[data-unsent]', (form) => unsent(/** @type {HTMLFormElement} */ (form)))
