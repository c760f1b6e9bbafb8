// @ts-check
/** Shows documents next to the data, with buttons to zoom, to rotate and to change the page. */
import { showTab } from './case.js'
import { fetchDocument, openImage, Unreadable } from './document.js'
import { announce, enliven, fill, isPlainClick } from './page.js'
import { addThumbnail, pan } from './viewer-parts.js'

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

/** The first view of a document. A zoom factor of 0 fits the document into the viewer. */
const FIRST_VIEW = { zoom: 0, turned: 0, page: 1 }

/** @param {HTMLElement} viewer */
function view(viewer) {
  /** @param {string} name */
  const part = (name) => /** @type {HTMLElement} */ (viewer.querySelector(`[data-${name}]`))
  const [title, tools, place, message] = [part('title'), part('tools'), part('place'), part('message')]
  const [text, note, pageShown] = [part('text'), part('note'), part('page-shown')]
  const download = /** @type {HTMLAnchorElement} */ (part('download'))
  const { dataset } = viewer

  const state = {
    /** The ID of the document that was chosen last. If another document finishes loading later, it is not shown. */
    chosen: '',
    /** The file name of the chosen document. */
    name: '',
    /** The chosen document, once it has loaded. */
    opened: /** @type {Opened | null} */ (null),
    ...FIRST_VIEW,
    /** The drawing in progress. Views are drawn one at a time, in order. */
    drawing: Promise.resolve(),
  }

  // 1. A document is chosen: the first one, one of the current person, or the one that the operator clicks.

  function openFirst() {
    const first = find(dataset.chosen)
    if (!first || !viewer.checkVisibility()) return
    const { document: id = '', file = '', type = '' } = first.dataset
    // If the document is an image, the page already contains it.
    const served = place.querySelector('img')
    if (!served) return choose(first)
    mark(first)
    // An image element does not report why it failed, so the script fetches the file.
    void show(
      id,
      openImage(served).catch(() => fetchDocument(file, type)),
    )
  }

  /** @param {HTMLAnchorElement} link */
  function choose(link) {
    const { document: id = '', file = '', type = '' } = link.dataset
    mark(link)
    title.textContent = link.dataset.label ?? ''
    note.textContent = link.dataset.placeText ?? ''
    download.href = file
    download.hidden = false
    say(dataset.loading ?? '')
    void show(id, fetchDocument(file, type))
  }

  /** Opens a document about the person of the row, unless one of them is open. @param {Element | null} row */
  function showProof(row) {
    const key = row?.getAttribute('data-mark') ?? ''
    const [person] = /^beneficiaries\.beneficiaries_list\.[^.]+\./.exec(key) ?? []
    if (!person || !viewer.checkVisibility()) return
    const own = /** @type {NodeListOf<HTMLAnchorElement>} */ (
      viewer.querySelectorAll(`[data-film] [data-path^="${person}"]`)
    )
    if (own[0] && ![...own].some((each) => each.matches('[aria-current]'))) choose(own[0])
  }

  /** Returns the document in the strip. @param {string | undefined} id */
  function find(id) {
    return /** @type {HTMLAnchorElement | null} */ (
      viewer.querySelector(`[data-film] [data-document="${id}"]`)
    )
  }

  /** Marks the document on the page as the current one. @param {HTMLAnchorElement} link */
  function mark(link) {
    state.name = link.dataset.name ?? ''
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

  // 2. The document loads.

  /** @param {string} id @param {Promise<Opened>} opening */
  async function show(id, opening) {
    close()
    Object.assign(state, { chosen: id, ...FIRST_VIEW })
    text.hidden = true
    try {
      const next = await opening
      if (state.chosen !== id) return next.close()
      state.opened = next
      say('')
      tools.hidden = false
      for (const button of tools.querySelectorAll('[data-of-pages]'))
        button.toggleAttribute('hidden', next.pages === 1)
      await draw()
    } catch (error) {
      if (state.chosen === id) fail(error)
    }
  }

  function close() {
    state.opened?.close()
    state.opened = null
    tools.hidden = true
  }

  /** @param {unknown} error */
  function fail(error) {
    const why = error instanceof Unreadable ? error.why : 'broken'
    close()
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

  // 3. The document is drawn.

  function draw() {
    state.drawing = state.drawing.then(drawNow).catch(fail)
    return state.drawing
  }

  async function drawNow() {
    const { opened } = state
    if (!opened) return
    const { page, turned, zoom } = state
    const space = { width: place.clientWidth, height: place.clientHeight }
    const drawn = await opened.draw({ page, turned, zoom, space })
    if (state.opened !== opened) return
    const words = fill(dataset.page, { page: String(page), pages: String(opened.pages) })
    const label = [state.name, opened.pages > 1 ? words : ''].filter(Boolean).join(', ')
    drawn.element.setAttribute('role', 'img')
    drawn.element.setAttribute('aria-label', label)
    if (drawn.element.parentElement !== place) place.replaceChildren(drawn.element)
    if (page === 1 && turned === 0) addThumbnail(find(state.chosen), drawn.element)
    Object.assign(place.dataset, { turned, page, zoom: zoom === 0 ? 'fit' : zoom.toFixed(2) })
    pageShown.textContent = words
    text.hidden = drawn.text === ''
    for (const shown of text.querySelectorAll('pre')) shown.textContent = drawn.text
  }

  // 4. The operator changes the view.

  /** @param {Partial<typeof FIRST_VIEW>} changes */
  function change(changes) {
    Object.assign(state, changes)
    void draw()
  }

  /** @param {number} by */
  function zoomBy(by) {
    const now = state.zoom || state.opened?.fitting || 1
    change({ zoom: Math.min(LARGEST, Math.max(SMALLEST, now * by)) })
  }

  /** @param {number} by */
  function leaf(by) {
    const page = state.page + by
    if (!state.opened || page < 1 || page > state.opened.pages) return
    change({ page })
    place.scrollTop = 0
  }

  /** @type {Record<string, () => void>} */
  const ACTIONS = {
    in: () => zoomBy(STEP),
    out: () => zoomBy(1 / STEP),
    fit: () => change({ zoom: 0 }),
    rotate: () => change({ turned: (state.turned + TURN) % 360 }),
    previous: () => leaf(-1),
    next: () => leaf(1),
  }

  for (const button of tools.querySelectorAll('button'))
    button.addEventListener('click', () => ACTIONS[button.dataset.view ?? '']?.())
  viewer.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
    const action = KEYS[/** @type {keyof typeof KEYS} */ (event.key)]
    if (!action || !state.opened) return
    event.preventDefault()
    ACTIONS[action]?.()
  })
  pan(place)
  new ResizeObserver(() => {
    // On a phone, the operator may open the tab with the document later.
    if (state.chosen === '') openFirst()
    else if (state.zoom === 0 && state.opened) void draw()
  }).observe(place)
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
}

enliven('[data-viewer]', view)
