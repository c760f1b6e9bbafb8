// @ts-check
/** Keeps the queue up to date. Updates rows in place, and shows new rows when the operator requests them. */
import { create, enliven, fill, timeoutSignal } from './page.js'

const REFRESH_INTERVAL_MS = 15_000
const AGES_MS = 60_000

/** @param {HTMLElement} queue */
function queue(queue) {
  let etag = queue.dataset.etag ?? ''
  let timer = 0
  const news = /** @type {HTMLElement} */ (document.getElementById('news'))

  const next = () => {
    clearTimeout(timer)
    if (!document.hidden) timer = window.setTimeout(look, REFRESH_INTERVAL_MS)
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : look()))
  setInterval(grow, AGES_MS)
  next()
  addSelectAll()
  queue.addEventListener('change', countSelected)
  queue.addEventListener('reset', () => select(false))
  window.addEventListener('pageshow', countSelected)

  async function look() {
    clearTimeout(timer)
    const response = await fetch(queue.dataset.live ?? '', {
      headers: { 'If-None-Match': etag },
      signal: timeoutSignal(20_000),
    }).catch(() => null)
    if (response?.redirected) return say(queue.dataset.ended ?? '')
    // If the request fails, the page remains unchanged until the next request.
    if (response?.ok) {
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      etag = response.headers.get('ETag') ?? ''
      compare(page)
    }
    next()
  }

  /** @param {Document} page */
  function compare(page) {
    const theirs = rowsOf(page.getElementById('queue'))
    const mine = rowsOf(queue)
    const stayed = [...mine.keys()].map((id) => theirs.has(id))
    // A missing row at the start or end of the list may have moved to the previous or the next page.
    const first = page.querySelector('[rel=prev]') ? stayed.indexOf(true) : 0
    const last = page.querySelector('[rel=next]') ? stayed.lastIndexOf(true) : stayed.length
    for (const [n, [id, row]] of [...mine].entries()) {
      const other = theirs.get(id)
      if (other) {
        row.classList.remove('gone')
        adopt(row, other)
      } else {
        const isGone = first !== -1 && n >= first && n < last
        row.classList.add('gone')
        for (const box of row.querySelectorAll('input')) box.checked = false
        cell(row, '.status').textContent = (isGone ? queue.dataset.gone : queue.dataset.moved) ?? ''
      }
    }
    const [counts, theirCounts] = [document, page].map((each) => each.getElementById('counts'))
    if (counts && theirCounts) counts.textContent = theirCounts.textContent
    for (const [n, tab] of page.querySelectorAll('#tabs .number').entries()) {
      const shown = document.querySelectorAll('#tabs .number')[n]
      if (shown) shown.textContent = tab.textContent
    }
    countSelected()
    const count = [...theirs.keys()].filter((id) => !mine.has(id)).length
    if (count === 0) news.replaceChildren()
    else offer(count, () => replace(page))
  }

  /** @param {number} count @param {() => void} show */
  function offer(count, show) {
    const textContent = fill(queue.dataset.news, { count: String(count) })
    const button = create('button', { type: 'button', className: 'button button-secondary', textContent })
    button.addEventListener('click', show)
    // Screen readers announce the text only if it has changed.
    if (news.textContent !== textContent) news.replaceChildren(button)
    else news.firstElementChild?.replaceWith(button)
  }

  /** Replaces the rows with the fetched ones and keeps the selection. @param {Document} page */
  function replace(page) {
    const before = new Set(rowsOf(queue).keys())
    const chosen = [...queue.querySelectorAll('input:checked')].map((input) => input.getAttribute('value'))
    queue.replaceChildren(...(page.getElementById('queue')?.childNodes ?? []))
    for (const input of queue.querySelectorAll('input'))
      if (chosen.includes(input.value)) input.checked = true
    news.replaceChildren()
    addSelectAll()
    const first = [...rowsOf(queue)].find(([id]) => !before.has(id))
    first?.[1].querySelector('a')?.focus()
  }

  function boxes() {
    return /** @type {HTMLInputElement[]} */ ([...queue.querySelectorAll('tbody tr:not(.gone) input')])
  }

  /** Adds a box to the head of the table that selects all cases of the page. */
  function addSelectAll() {
    const head = queue.querySelector('thead .pick')
    if (!head) return
    const all = create('input', { type: 'checkbox' })
    all.setAttribute('aria-label', queue.dataset.all ?? '')
    all.addEventListener('change', () => select(all.checked))
    head.append(all)
    countSelected()
  }

  /** @param {boolean} isSelected */
  function select(isSelected) {
    for (const box of boxes()) box.checked = isSelected
    countSelected()
  }

  function countSelected() {
    const all = /** @type {HTMLInputElement | null} */ (queue.querySelector('thead input'))
    const place = /** @type {HTMLElement | null} */ (queue.querySelector('[data-count]'))
    if (!all || !place) return
    const count = boxes().filter(({ checked }) => checked).length
    all.checked = count > 0 && count === boxes().length
    all.indeterminate = count > 0 && !all.checked
    place.hidden = count === 0
    place.textContent = count === 0 ? '' : fill(place.dataset.count, { count: String(count) })
  }

  /** @param {string} text */
  const say = (text) => {
    news.textContent = text
  }

  function grow() {
    for (const age of queue.querySelectorAll('[data-since]')) {
      const seconds = Math.max(0, Math.floor(Date.now() / 1_000 - Number(age.getAttribute('data-since'))))
      age.textContent = ageText(seconds)
    }
  }
}

/** @param {Element | null} place */
const rowsOf = (place) => {
  const rows = [...(place?.querySelectorAll('tr[data-id]') ?? [])]
  return new Map(rows.map((row) => [row.getAttribute('data-id') ?? '', row]))
}

/** @param {Element} row @param {string} name */
const cell = (row, name) => /** @type {Element} */ (row.querySelector(name))

/**
 * Replaces single cells, so that the focus and the selection remain.
 * @param {Element} row
 * @param {Element} other
 */
function adopt(row, other) {
  for (const [n, theirs] of [...other.children].entries()) {
    const mine = row.children[n]
    if (!mine || mine.matches('.pick') || mine.innerHTML === theirs.innerHTML) continue
    const link = mine.contains(document.activeElement) ? mine.querySelector('a') : null
    if (link) link.textContent = theirs.querySelector('a')?.textContent ?? ''
    else mine.replaceChildren(...theirs.childNodes)
  }
}

/** The units of age, which must be the same as on the server. The script updates the ages between responses. */
const STEPS = /** @type {const} */ ([
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
])

/** @param {number} seconds */
function ageText(seconds) {
  const [unit, length] = STEPS.find(([, each]) => seconds >= each) ?? ['minute', 60]
  const unitDisplay = unit === 'day' ? 'long' : 'short'
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit, unitDisplay })
  return format.format(Math.floor(seconds / length))
}

enliven('[data-live]', queue)
