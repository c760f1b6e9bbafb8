// @ts-check
/** Closes finished groups of fields on a phone. */
import { enliven } from './page.js'

enliven('details[data-finished]', (group) => {
  // The address can lead into the group.
  const isNarrow = matchMedia('(max-width: 47.99rem)').matches
  if (isNarrow && !group.querySelector(':target')) group.removeAttribute('open')
})
