// @ts-check
/** Shows documents next to the data, with buttons to zoom, to rotate and to change the page. */

import { isPlainClick, showTab } from './case.js'
import { openImage, openPdf, Unreadable } from './document.js'
import { announce, enliven, fill, timeoutSignal } from './page.js'

/** @typedef {import('./document.js').Opened} Opened */

const STEP = 1.25
const SMALLEST = 0.1
const LARGEST = 8
const TURN = 90

/** The actions of the keys while the viewer has the focus. */
const KEYS = /** @type {const} */ ({
  '+': 'in',
  '=': 'in',
  '-': 'out',
  0: 'fit',
  r: 'rotate',
  PageUp: 'previous',
  PageDown: 'next',
})

/** @param {HTMLElement} viewer */
function view(viewer) {
  /** @param {string} selector */
  const part = (selector) => /** @type {HTMLElement} */ (viewer.querySelector(selector))
  const [title, tools, place, message, text, download] = [
    part('[data-title]'),
    part('[data-tools]'),
    part('[data-place]'),
    part('[data-message]'),
    part('[data-text]'),
    /** @type {HTMLAnchorElement} */ (part('[data-download]')),
  ]
  const note = part('[data-note]')
  const pageShown = part('[data-page-shown]')
  const { dataset } = viewer
  /** @type {Opened | null} */
  let opened = null
  /** The zoom factor. 0 fits the document into the viewer. */
  let zoom = 0
  let turned = 0
  let page = 1
  /** The drawing in progress. Views are drawn one at a time, in order. */
  let drawing = Promise.resolve()
  /** The ID of the document that was chosen last. If another document finishes loading later, it is not shown. */
  let chosen = ''
  /** The file name of the chosen document. */
  let name = ''

  /** @type {Record<string, () => void>} */
  const ACTIONS = {
    in: () => zoomBy(STEP),
    out: () => zoomBy(1 / STEP),
    fit: () => change(() => (zoom = 0)),
    rotate: () => change(() => (turned = (turned + TURN) % 360)),
    previous: () => leaf(-1),
    next: () => leaf(1),
  }

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-document]') : null
    const listed = link instanceof HTMLAnchorElement ? find(link.dataset.document) : null
    if (!(link instanceof HTMLAnchorElement) || !listed || !isPlainClick(event)) return
    event.preventDefault()
    const tab = document.querySelector('[data-case]')?.getAttribute('data-tab') ?? ''
    const address = new URL(link.href)
    address.searchParams.set('tab', tab)
    history.replaceState(null, '', address)
    choose(listed)
    // On a phone, only one of the tabs shows the document.
    if (!viewer.checkVisibility()) showTab('documents')
    if (matchMedia('(max-width: 47.49rem)').matches) viewer.scrollIntoView()
    viewer.focus({ preventScroll: true })
  })
  // The document of a person stands next to the person's data.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) showProof(target.closest('#tab-owners [data-mark]'))
  })
  document.addEventListener('tabshown', () =>
    showProof(
      document.querySelector('#tab-owners:not([hidden]) [data-mark^="beneficiaries.beneficiaries_list."]'),
    ),
  )
  for (const button of tools.querySelectorAll('button'))
    button.addEventListener('click', () => ACTIONS[button.dataset.view ?? '']?.())
  viewer.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
    const action = KEYS[/** @type {keyof typeof KEYS} */ (event.key)]
    if (!action || !opened) return
    event.preventDefault()
    ACTIONS[action]?.()
  })
  pan(place)
  new ResizeObserver(() => {
    // On a phone, the operator may open the tab with the document later.
    if (chosen === '') openFirst()
    else if (zoom === 0 && opened) void draw()
  }).observe(place)

  function openFirst() {
    const first = find(dataset.chosen)
    if (!first || !viewer.checkVisibility()) return
    const { document: id = '', file = '', type = '' } = first.dataset
    // If the document is an image, the page already contains it.
    const served = place.querySelector('img')
    if (!served) return choose(first)
    name = first.dataset.name ?? ''
    mark(first)
    // An image element does not report why it failed, so the script fetches the file.
    void show(
      id,
      openImage(served).catch(() => fetchDocument(file, type)),
    )
  }

  /**
   * Opens a document about the person of the row, unless one of them is open.
   * @param {Element | null} row
   */
  function showProof(row) {
    const key = row?.getAttribute('data-mark') ?? ''
    const [person] = /^beneficiaries\.beneficiaries_list\.[^.]+\./.exec(key) ?? []
    if (!person || !viewer.checkVisibility()) return
    const own = /** @type {NodeListOf<HTMLAnchorElement>} */ (
      viewer.querySelectorAll(`[data-film] [data-path^="${person}"]`)
    )
    if (own[0] && ![...own].some((each) => each.matches('[aria-current]'))) choose(own[0])
  }

  /**
   * Returns the document in the strip.
   * @param {string | undefined} id
   */
  function find(id) {
    return /** @type {HTMLAnchorElement | null} */ (
      viewer.querySelector(`[data-film] [data-document="${id}"]`)
    )
  }

  /** @param {HTMLAnchorElement} link */
  function choose(link) {
    const { document: id = '', file = '', type = '' } = link.dataset
    mark(link)
    name = link.dataset.name ?? ''
    title.textContent = link.dataset.label ?? ''
    note.textContent = link.dataset.placeText ?? ''
    download.href = file
    download.hidden = false
    say(dataset.loading ?? '')
    void show(id, fetchDocument(file, type))
  }

  /** @param {HTMLAnchorElement} link */
  function mark(link) {
    for (const other of document.querySelectorAll('a[data-document][aria-current]'))
      other.removeAttribute('aria-current')
    for (const same of document.querySelectorAll(`a[data-document="${link.dataset.document}"]`))
      same.setAttribute('aria-current', 'true')
    link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    for (const notice of viewer.querySelectorAll('[data-notice-of]'))
      notice.toggleAttribute('hidden', notice.getAttribute('data-notice-of') !== link.dataset.document)
    for (const proof of document.querySelectorAll('[data-proof]'))
      proof.toggleAttribute('hidden', proof.getAttribute('data-proof') !== link.dataset.path)
  }

  /**
   * @param {string} id
   * @param {Promise<Opened>} opening
   */
  async function show(id, opening) {
    chosen = id
    opened?.close()
    opened = null
    tools.hidden = true
    text.hidden = true
    zoom = 0
    turned = 0
    page = 1
    try {
      const next = await opening
      if (chosen !== id) return next.close()
      opened = next
      say('')
      tools.hidden = false
      for (const button of tools.querySelectorAll('[data-of-pages]'))
        button.toggleAttribute('hidden', next.pages === 1)
      await draw()
    } catch (error) {
      if (chosen === id) failed(error)
    }
  }

  /** @param {unknown} error */
  function failed(error) {
    const why = error instanceof Unreadable ? error.why : 'broken'
    opened?.close()
    opened = null
    tools.hidden = true
    place.replaceChildren()
    say(dataset[why] ?? dataset.broken ?? '')
  }

  /** @param {string} words */
  function say(words) {
    if (words) place.replaceChildren()
    message.textContent = words
    message.hidden = words === ''
    announce(words)
  }

  /** @param {number} by */
  function zoomBy(by) {
    const now = zoom || opened?.fitting || 1
    change(() => (zoom = Math.min(LARGEST, Math.max(SMALLEST, now * by))))
  }

  /** @param {number} by */
  function leaf(by) {
    const next = page + by
    if (!opened || next < 1 || next > opened.pages) return
    change(() => (page = next))
    place.scrollTop = 0
  }

  /** @param {() => void} make */
  function change(make) {
    make()
    draw()
  }

  function draw() {
    drawing = drawing.then(drawNow).catch(failed)
    return drawing
  }

  async function drawNow() {
    const now = opened
    if (!now) return
    const space = { width: place.clientWidth, height: place.clientHeight }
    const drawn = await now.draw({ page, turned, zoom, space })
    if (opened !== now) return
    const words = fill(dataset.page, { page: String(page), pages: String(now.pages) })
    const label = [name, now.pages > 1 ? words : ''].filter(Boolean).join(', ')
    drawn.element.setAttribute('role', 'img')
    drawn.element.setAttribute('aria-label', label)
    if (drawn.element.parentElement !== place) place.replaceChildren(drawn.element)
    if (page === 1 && turned === 0) addThumbnail(find(chosen), drawn.element)
    place.dataset.turned = String(turned)
    place.dataset.page = String(page)
    place.dataset.zoom = zoom === 0 ? 'fit' : zoom.toFixed(2)
    pageShown.textContent = words
    text.hidden = drawn.text === ''
    part('[data-text] pre').textContent = drawn.text
  }
}

/**
 * Maps statuses to messages about the document. A 500 means that the stored file is damaged. Other statuses say nothing
 * about the document.
 * @type {Record<number, 'gone' | 'broken'>}
 */
const REFUSALS = { 404: 'gone', 422: 'broken', 500: 'broken' }

/** @param {string} file */
async function fetchBytes(file) {
  const away = () => {
    throw new Unreadable('away')
  }
  const response = await fetch(file, { signal: timeoutSignal(60_000) }).catch(away)
  // The server redirects to the sign-in page if the session has expired.
  if (response.redirected) throw new Unreadable('ended')
  if (!response.ok) throw new Unreadable(REFUSALS[response.status] ?? 'away')
  return response.blob().catch(away)
}

/**
 * Fetches the file once, because the timeline records each access.
 * @param {string} file
 * @param {string} type
 * @returns {Promise<Opened>}
 */
async function fetchDocument(file, type) {
  const bytes = await fetchBytes(file)
  if (type === 'application/pdf') return openPdf(bytes)
  if (!type.startsWith('image/')) throw new Unreadable('broken')
  const picture = new Image()
  picture.src = URL.createObjectURL(bytes)
  return openImage(picture)
}

const THUMBNAIL = { width: 92, height: 112 }

/**
 * Shows the upper part of a drawn page in the strip.
 * @param {HTMLElement | null} link
 * @param {HTMLElement} drawn
 */
function addThumbnail(link, drawn) {
  const icon = link?.querySelector('.film-page > svg')
  const source = drawn instanceof HTMLCanvasElement ? drawn : drawn.querySelector('img')
  if (!icon || !source) return
  const canvas = Object.assign(document.createElement('canvas'), THUMBNAIL)
  const [width, height] =
    source instanceof HTMLImageElement
      ? [source.naturalWidth, source.naturalHeight]
      : [source.width, source.height]
  const scale = Math.max(canvas.width / width, canvas.height / height)
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.drawImage(source, (canvas.width - width * scale) / 2, 0, width * scale, height * scale)
  icon.replaceWith(canvas)
}

/**
 * Lets the operator drag a document that is larger than the viewer.
 * @param {HTMLElement} place
 */
function pan(place) {
  place.addEventListener('pointerdown', (down) => {
    if (down.button !== 0 || down.pointerType === 'touch') return
    down.preventDefault()
    const { scrollLeft, scrollTop } = place
    const move = (/** @type {PointerEvent} */ event) =>
      place.scrollTo(scrollLeft + down.clientX - event.clientX, scrollTop + down.clientY - event.clientY)
    const end = () => place.removeEventListener('pointermove', move)
    place.setPointerCapture(down.pointerId)
    place.addEventListener('pointermove', move)
    place.addEventListener('lostpointercapture', end, { once: true })
  })
}

enliven('[data-viewer]', view)
