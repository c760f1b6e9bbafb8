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
      // Without HTTPS, browsers do not provide the clipboard, so the script only selects the text.
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
