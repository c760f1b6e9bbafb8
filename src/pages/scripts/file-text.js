// @ts-check
/** Reads the text of a chosen file into a text area. The form sends only the text. */
import { enliven } from './page.js'

/** @param {HTMLElement} place */
function offer(place) {
  const input = /** @type {HTMLInputElement} */ (place.querySelector('input'))
  const area = /** @type {HTMLTextAreaElement} */ (document.getElementById(place.dataset.reads ?? ''))
  place.hidden = false
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (file) area.value = await file.text()
  })
}

enliven('[data-reads]', offer)
