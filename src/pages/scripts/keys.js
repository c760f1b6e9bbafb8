// @ts-check
/** Handles keyboard shortcuts for frequent actions. No shortcut makes a decision. */
import { createLeaving, enliven } from './page.js'

/** The key in `localStorage` under which this browser stores that the shortcuts are switched off. */
const OFF = 'gatehouse.keys'
const SEARCH = 'input[type="search"]'
const OUTCOME = 'input[name="outcome"]'

/** Ignores keys that the operator presses while the next page is loading. */
const leaving = createLeaving()

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => row(1),
  k: () => row(-1),
  '/': () => (find(SEARCH) ? find(SEARCH)?.focus() : follow('#go-search')),
  n: () => follow('#next'),
  ',': () => follow('.case-queue [rel="prev"]'),
  '.': () => follow('.case-queue [rel="next"]'),
  m: () => follow('form[action$="/assignment"] button, tr:focus-within button'),
  a: () => accept() || choose('approved'),
  f: () =>
    (marked() ?? openDocument())
      ?.querySelector('[data-flag]')
      ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })),
  r: () => choose('rejected'),
  v: () => choose('revision_requested', 'initiated'),
  '[': () => proof(-1),
  ']': () => proof(1),
  '?': () => help().showModal(),
}

/** The keys that work only in the list, because arrow keys also scroll the page. */
const IN_LIST = /** @type {Record<string, () => void>} */ ({
  ArrowDown: () => row(1),
  ArrowUp: () => row(-1),
})

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector))
const help = () => /** @type {HTMLDialogElement} */ (find('#keys'))

/** @param {string} selector */
function follow(selector) {
  const place = find(selector)
  if (!place) return
  leaving.begin()
  place.click()
}

/**
 * Returns the element that is `step` away from the focused or open one. If there is none, returns the first after the
 * focus.
 * @param {HTMLElement[]} all
 * @param {number} step
 */
function beside(all, step) {
  const focused = all.findIndex((each) => each.contains(document.activeElement))
  const now = focused < 0 ? all.findIndex((each) => each.matches('[aria-current]')) : focused
  if (now >= 0) return all[Math.min(all.length - 1, Math.max(0, now + step))]
  const isAfter = (/** @type {HTMLElement} */ each) =>
    (document.activeElement ?? document).compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING
  return all.find(isAfter) ?? all[0]
}

/** @param {string} selector */
const list = (selector) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)])

/** @param {number} step */
const row = (step) =>
  focusIn(
    beside(
      list('.queue tbody tr, .need:not(div), .hit-row, [data-mark]:not(:has([data-mark]))').filter(isVisible),
      step,
    ),
    'a, button, summary',
  )

/** @param {HTMLElement} element */
const isVisible = (element) => element.checkVisibility()

/** The ID of the field or document that the pointer or the focus reached last. */
let reached = ''
for (const type of ['pointermove', 'focusin'])
  document.addEventListener(type, ({ target }) => {
    const places = [target, document.activeElement]
    const rows = places.flatMap((each) =>
      each instanceof Element ? (each.closest('[data-mark]') ?? []) : [],
    )
    reached = rows[0]?.id ?? ''
  })

const marked = () => document.getElementById(reached)

/** Returns the row of the open document. */
function openDocument() {
  const id = find('[data-film] [aria-current]')?.dataset.document
  return list(`[data-mark$="#${id}"]`).find(isVisible)
}

/** Accepts the field if possible, and moves to the next one. Returns false if there is nothing to do. */
function accept() {
  const place = marked()
  const button = /** @type {HTMLElement | null} */ (place?.querySelector('.mark-accept') ?? null)
  if (!place?.matches('[data-mark]')) return false
  const rows = list('[data-mark]').filter(isVisible)
  const next = rows[rows.indexOf(place) + 1]
  const isMarked = !button || place.matches('.is-accepted, .is-flagged')
  if (!isMarked) button.click()
  focusIn(next, 'a, button')
  return !isMarked || next !== undefined
}

/** Opens another document. @param {number} step */
function proof(step) {
  const next = beside(list('[data-film] [data-document]'), step)
  next?.click()
  next?.focus()
}

/** @param {HTMLElement | undefined} place @param {string} selector */
function focusIn(place, selector) {
  const target = place?.matches(selector) ? place : place?.querySelector(selector)
  if (target instanceof HTMLElement) target.focus()
}

/**
 * Opens the decision with the first of these outcomes that the case allows. In an open decision, changes the outcome.
 * @param {string[]} outcomes
 */
function choose(...outcomes) {
  for (const outcome of outcomes) {
    const radio = find(`${OUTCOME}[value="${outcome}"]`)
    const isOpen = radio?.checkVisibility()
    const control = isOpen ? radio : find(`[data-decide="${outcome}"]`)
    if (!control) continue
    control.click()
    if (isOpen) control.focus()
    return
  }
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type="radio"], [type="checkbox"])'))

/**
 * Leaves a text field, so that the next keys are shortcuts again. In a drawer, the next Escape closes the drawer.
 * @param {KeyboardEvent} event
 */
function leave(event) {
  const field = /** @type {HTMLElement} */ (event.target)
  event.preventDefault()
  field.blur()
  focusIn(/** @type {HTMLElement | null} */ (field.closest('[data-mark]')) ?? undefined, 'a, button')
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.defaultPrevented || event.isComposing || event.altKey || help().open) return
  if (event.key === 'Escape' && event.target instanceof HTMLTextAreaElement) return leave(event)
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return send(event)
  if (event.ctrlKey || event.metaKey || leaving.is() || isTyping(event.target)) return
  // In a drawer, the other keys would change the page behind the drawer.
  if (find('dialog[open]') && !'arv'.includes(event.key)) return
  const inList = event.target instanceof HTMLElement && event.target.closest('.queue') !== null
  const act = (inList && IN_LIST[event.key]) || (localStorage.getItem(OFF) !== 'off' && KEYS[event.key])
  if (!act) return
  event.preventDefault()
  act()
}

/** @param {KeyboardEvent} event */
function send(event) {
  // Some inputs are outside the form that they belong to.
  const { form } = /** @type {HTMLInputElement} */ (event.target)
  if (form?.method !== 'post') return
  event.preventDefault()
  form.requestSubmit()
}

function keys() {
  const open = /** @type {HTMLButtonElement} */ (find('#open-keys'))
  const on = /** @type {HTMLInputElement} */ (find('#keys-on'))
  open.hidden = false
  open.addEventListener('click', () => help().showModal())
  on.checked = localStorage.getItem(OFF) !== 'off'
  on.addEventListener('change', () => localStorage.setItem(OFF, on.checked ? 'on' : 'off'))
  document.addEventListener('keydown', press)
}

enliven('#keys', keys)
