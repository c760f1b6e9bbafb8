// @ts-check
/** Reads the text of a chosen file into a text area. The form sends only the text. */
import { enliven } from './page.js'

/** @param {HTMLElement} label */
function offer(label) {
  const input = /** @type {HTMLInputElement} */ (label.querySelector('input'))
  const area = /** @type {HTMLTextAreaElement} */ (document.getElementById(label.dataset.reads ?? ''))
  label.hidden = false
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (file) area.value = await file.text()
  })
}

enliven('[data-reads]', offer)
