// @ts-check
/** What pages can do besides where there are scripts. Without any, every page works by its forms and links alone. */
import { autosave } from './autosave.js'
import { copy } from './copy.js'
import { picture } from './picture.js'
import { refresh } from './refresh.js'
import { upload } from './upload.js'

/** @param {ParentNode} part */
function enliven(part) {
  for (const form of part.querySelectorAll('form[data-autosave]'))
    autosave(/** @type {HTMLFormElement} */ (form))
  for (const list of part.querySelectorAll('[data-documents]')) upload(/** @type {HTMLElement} */ (list))
  for (const place of part.querySelectorAll('[data-picture]')) picture(/** @type {HTMLElement} */ (place))
  for (const button of part.querySelectorAll('[data-copy]')) copy(/** @type {HTMLElement} */ (button))
  if (part.querySelector('[data-refresh]')) refresh(enliven)
}

enliven(document)
