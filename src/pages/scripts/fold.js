// @ts-check
/** Closes completed groups of fields on phones. */
import { enliven } from './page.js'

enliven('details[data-finished]', (group) => {
  // The address can point to a place in the group.
  const isNarrow = matchMedia('(max-width: 47.99rem)').matches
  if (isNarrow && !group.querySelector(':target')) group.removeAttribute('open')
})
