// @ts-check
/** Opens and closes drawers. Without scripts, the server sends an open drawer, and its buttons close it. */
import { enliven, isPlainClick } from './page.js'

/** @param {HTMLDialogElement} dialog */
function drawer(dialog) {
  // A modal dialog keeps the focus, and closes with Escape.
  if (dialog.open) {
    dialog.close()
    dialog.showModal()
  }
  for (const button of dialog.querySelectorAll('[data-close]'))
    button.addEventListener('click', (event) => {
      event.preventDefault()
      dialog.close()
    })
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  document.addEventListener('click', (event) => {
    const place = event.target instanceof Element ? event.target.closest(`[data-opens="${dialog.id}"]`) : null
    if (!place || !isPlainClick(event)) return
    event.preventDefault()
    dialog.showModal()
  })
}

enliven('dialog[data-drawer]', (dialog) => drawer(/** @type {HTMLDialogElement} */ (dialog)))
