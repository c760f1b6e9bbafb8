// @ts-check
/** Writes from when a form applies. Without scripts, only the hint of its date says so. */
import { enliven, fill } from './page.js'

enliven('[data-applies]', (note) => {
  const { applies = '', now = '', from, locale } = note.dataset
  const input = /** @type {HTMLInputElement} */ (document.getElementById(applies))
  const write = () => {
    const day = input.valueAsDate?.toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' })
    note.textContent = day ? fill(from, { day }) : now
  }
  input.addEventListener('input', write)
  write()
})
