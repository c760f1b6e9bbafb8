// @ts-check
/** Opens the finished groups of fields on large screens, which show their content, so that screen readers agree. */
import { enliven } from './page.js'

const isLarge = matchMedia('(min-width: 48rem)')

enliven('details[data-finished]', (element) => {
  const group = /** @type {HTMLDetailsElement} */ (element)
  const summary = group.querySelector('summary')
  const show = () => {
    // Older browsers do not open the group to which the address points.
    group.open = isLarge.matches || group.querySelector(':target') !== null
    if (isLarge.matches) summary?.setAttribute('tabindex', '-1')
    else summary?.removeAttribute('tabindex')
  }
  show()
  isLarge.addEventListener('change', show)
})
