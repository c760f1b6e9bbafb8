// @ts-check
/** Proposes an answer that follows from an earlier one, while the later field is empty or still shows the proposal. */
import { enliven } from './page.js'

/** @param {HTMLElement} element */
function propose(element) {
  const target = /** @type {HTMLSelectElement} */ (element)
  const source = target.form?.elements.namedItem(target.dataset.propose ?? '')
  if (!(source instanceof HTMLSelectElement || source instanceof HTMLInputElement)) return
  /** @type {Record<string, string> | null} */
  const ends = JSON.parse(target.dataset.ends ?? 'null')
  const answer = () =>
    ends === null
      ? source.value
      : (Object.entries(ends).find(([, end]) => new RegExp(end, 'i').test(source.value))?.[0] ?? '')
  let proposed = ''
  source.addEventListener('change', () => {
    if (answer() === target.value || (target.value !== '' && target.value !== proposed)) return
    proposed = answer()
    target.value = proposed
    target.dispatchEvent(new Event('change', { bubbles: true }))
  })
}

enliven('select[data-propose]', propose)
