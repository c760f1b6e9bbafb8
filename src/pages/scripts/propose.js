// @ts-check
/** Proposes a country from an earlier answer while the later field is empty or still shows the proposal. */
import { enliven } from './page.js'

/** @param {HTMLElement} element */
function propose(element) {
  const target = /** @type {HTMLSelectElement} */ (element)
  const source = target.form?.elements.namedItem(target.dataset.propose ?? '')
  if (!(source instanceof HTMLSelectElement)) return
  let proposed = ''
  source.addEventListener('change', () => {
    if (target.value !== '' && target.value !== proposed) return
    proposed = source.value
    target.value = proposed
    target.dispatchEvent(new Event('change', { bubbles: true }))
  })
}

enliven('select[data-propose]', propose)
