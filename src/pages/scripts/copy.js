// @ts-check
/** A button that copies what an input shows. */
import { announce } from './page.js'

/** @param {HTMLElement} button */
export function copy(button) {
  const { copy: id = '', done = '', selected = '' } = button.dataset
  const input = /** @type {HTMLInputElement} */ (document.getElementById(id))
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(input.value)
      tell(done)
    } catch {
      // Browsers give no clipboard to pages that came without https.
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
