// @ts-check
/** Copies the value of an input to the clipboard. */
import { announce, enliven } from './page.js'

/** @param {HTMLElement} button */
function copy(button) {
  const { copy: id = '', done = '', selected = '' } = button.dataset
  const input = /** @type {HTMLInputElement} */ (document.getElementById(id))
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(input.value)
      tell(done)
    } catch {
      // Without HTTPS, browsers provide no clipboard.
      input.select()
      tell(selected)
    }
  })

  /** @param {string} text */
  function tell(text) {
    button.textContent = text
    announce(text)
  }
}

enliven('[data-copy]', copy)
