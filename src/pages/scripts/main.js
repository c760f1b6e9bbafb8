// @ts-check
/** Starts the scripts of a page. Without scripts, every page works with its forms and links. */
import { autosave } from './autosave.js'
import { copy } from './copy.js'
import { keys } from './keys.js'
import { picture } from './photo.js'
import { queue } from './queue.js'
import { refresh } from './refresh.js'
import { unsent } from './unsent.js'
import { upload } from './upload.js'
import { view } from './viewer.js'

/** @param {HTMLElement} main */
function enliven(main) {
  const asServed = main.innerHTML
  for (const form of main.querySelectorAll('form[data-autosave]'))
    autosave(/** @type {HTMLFormElement} */ (form))
  for (const form of main.querySelectorAll('form[data-unsent]')) unsent(/** @type {HTMLFormElement} */ (form))
  for (const list of main.querySelectorAll('[data-documents]')) upload(/** @type {HTMLElement} */ (list))
  for (const place of main.querySelectorAll('[data-picture]')) picture(/** @type {HTMLElement} */ (place))
  for (const button of main.querySelectorAll('[data-copy]')) copy(/** @type {HTMLElement} */ (button))
  for (const place of main.querySelectorAll('[data-live]')) queue(/** @type {HTMLElement} */ (place))
  for (const viewer of main.querySelectorAll('[data-viewer]')) view(/** @type {HTMLElement} */ (viewer))
  if (main.querySelector('[data-refresh]')) refresh(asServed, enliven)
}

enliven(/** @type {HTMLElement} */ (document.querySelector('main')))
const summary = document.querySelector('.summary')
if (summary instanceof HTMLElement && document.activeElement === document.body) summary.focus()
if (document.getElementById('keys')) keys()
