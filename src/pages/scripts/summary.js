// @ts-check
/** Moves the focus to the list of problems, so that screen readers read it first, or to the first missing detail. */
import { enliven } from './page.js'

enliven('.summary', (summary) => {
  if (document.activeElement === document.body) summary.focus()
})

enliven('[data-gap]', (link) => {
  const { hash } = /** @type {HTMLAnchorElement} */ (link)
  const isFree = document.activeElement === document.body && location.hash === ''
  if (isFree) document.getElementById(decodeURIComponent(hash.slice(1)))?.focus()
})
