// @ts-check
/** Moves the focus to the list of problems, so that screen readers read it first. */
import { enliven } from './page.js'

enliven('.summary', (summary) => {
  if (document.activeElement === document.body) summary.focus()
})
