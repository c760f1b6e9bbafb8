// @ts-check
/** Copies the input or the text before a button to the clipboard. */
import { announce, enliven } from './page.js'

/** @param {HTMLElement} button */
function copy(button) {
  const { done = '', selected = '' } = button.dataset
  const place = /** @type {HTMLElement} */ (button.previousElementSibling)
  const input = place instanceof HTMLInputElement ? place : null
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(input?.value ?? place.textContent ?? '')
      tell(done)
    } catch {
      // Without HTTPS, browsers provide no clipboard.
      if (input) input.select()
      else getSelection()?.selectAllChildren(place)
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
