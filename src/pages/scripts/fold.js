// @ts-check
/** Closes completed groups of fields on phones. */
import { enliven } from './page.js'

enliven('details[data-finished]', (group) => {
  // A group stays open if the address points to an element in it.
  const isNarrow = matchMedia('(max-width: 47.99rem)').matches
  if (isNarrow && !group.querySelector(':target')) group.removeAttribute('open')
})
