// @ts-check
/** Uploads files that were chosen or dropped to a document list, and shows the progress of each. */
import {
  announce,
  create,
  enliven,
  enlivenAll,
  fetchPage,
  fill,
  refusalOf,
  renewToken,
  tokenOf,
  warnWhile,
} from './page.js'
import { percentText, refusalOfFile, sendFile } from './send-file.js'

let MAX_CONCURRENT = 2

/** @type {(() => Promise<void>)[]} */
const queue = []
let activeCount = 0
/** The files that are not stored yet. */
const unsaved = new Set()
/** Previews of images uploaded from this page, by file ID. @type {Map<string, string>} */
const previews = new Map()

warnWhile(() => unsaved.size > 0)
// Prevents the browser from opening a file that is dropped outside the list.
for (const type of ['dragover', 'drop']) document.addEventListener(type, (event) => event.preventDefault())

function startNext() {
  if (activeCount >= MAX_CONCURRENT) return
  const start = queue.shift()
  if (!start) return
  activeCount++
  start().finally(() => {
    activeCount--
    startNext()
  })
  startNext()
}

/** @param {HTMLElement} served the list as the server has sent it */
function upload(served) {
  let section = served
  const rows = document.createElement('ul')
  rows.className = 'uploads'
  dress()

  /** Replaces the input with a button. The whole row accepts dropped files. */
  function dress() {
    const form = formOf(section)
    const input = /** @type {HTMLInputElement} */ (form.querySelector('input[type="file"]'))
    const label = /** @type {HTMLElement} */ (form.querySelector('label'))
    section.querySelector('.row-more')?.append(rows)
    form.classList.add('upload-dressed')
    form.querySelector('button')?.remove()
    // Another photo of the same side would replace the first.
    input.multiple = !form.querySelector('[name="side"]')
    input.after(label)
    label.className = 'button button-tonal'
    label.replaceChildren(contentOf(form, '[data-label]'))
    input.addEventListener('change', takeAll)
    if (form.querySelector('template[data-camera]')) form.append(contentOf(form, '[data-camera]'))
    form.querySelector('.upload-camera')?.addEventListener('click', () => openCamera(input))
    section.addEventListener('dragover', () => section.classList.add('over'))
    section.addEventListener('dragleave', ({ relatedTarget }) => {
      if (!section.contains(/** @type {Node | null} */ (relatedTarget))) section.classList.remove('over')
    })
    section.addEventListener('drop', ({ dataTransfer }) => {
      section.classList.remove('over')
      takeEach(dataTransfer?.files ?? [])
    })
  }

  /** @param {Iterable<File>} files */
  function takeEach(files) {
    for (const refused of rows.querySelectorAll('.upload-refused')) refused.remove()
    for (const menu of section.querySelectorAll('details[open]')) menu.removeAttribute('open')
    const replaces = formOf(section).querySelector('[name="replaces"]')?.getAttribute('value') ?? ''
    for (const file of files) take(file, replaces)
  }

  /** @param {Event} event */
  function takeAll({ target }) {
    const input = /** @type {HTMLInputElement} */ (target)
    takeEach(input.files ?? [])
    // Lets the applicant choose the same file again.
    input.value = ''
  }

  /** @param {File} file @param {string} replaces the IDs of the files that this one replaces */
  function take(file, replaces) {
    section.querySelector('.row-more > .upload-refused')?.remove()
    const row = newRow(file)
    const { dataset } = row.element
    const wrong = refusalOfFile(file, section.dataset)
    rows.append(row.element)
    if (wrong !== undefined) return row.stop(wrong)
    let request = new XMLHttpRequest()
    let interrupted = false
    unsaved.add(file)
    row.cancel.addEventListener('click', () => {
      unsaved.delete(file)
      request.abort()
      window.removeEventListener('online', again)
      row.remove()
      // The server may have stored the file before the upload was cancelled.
      showList()
    })
    row.again.addEventListener('click', again)
    begin()

    function begin() {
      row.wait(dataset.waiting ?? '')
      queue.push(() => (unsaved.has(file) ? deliver() : Promise.resolve()))
      startNext()
    }

    function again() {
      window.removeEventListener('online', again)
      begin()
    }

    async function deliver(isAgain = false) {
      request = new XMLHttpRequest()
      row.progress(0)
      const response = await post(formOf(section), { file, replaces }, request, (share) =>
        row.progress(share),
      )
      if (!unsaved.has(file)) return
      const renewal = response?.status === 403 && !isAgain ? await renewToken().catch(() => 'ended') : null
      if (renewal === 'renewed') return deliver(true)
      if (response?.ok) return done(await response.json())
      const isOver = response?.status === 401 || renewal === 'ended'
      const isRefused = response && response.status < 500 && !isOver && ![408, 429].includes(response.status)
      if (isRefused) {
        unsaved.delete(file)
        return row.stop(await refusalOf(response))
      }
      // On a slow connection, two parallel uploads may exceed the timeout even if one would not.
      MAX_CONCURRENT = 1
      interrupted = true
      row.interrupt((isOver ? dataset.session : dataset.interrupted) ?? '')
      window.addEventListener('online', again)
    }

    /** @param {{ file?: string }} answer */
    async function done({ file: id }) {
      unsaved.delete(file)
      if (id && row.preview) previews.set(id, row.preview)
      const page = await showList()
      // An interrupted upload may have stored the file, so the script does not report such a file as already known.
      const isShown = page !== null && page.getElementById(section.id) !== null
      const isKnown = isShown && !interrupted && !page.querySelector(`[data-file="${id}"]`)
      if (isKnown) return row.stop(dataset.known ?? '')
      row.element.remove()
      announce(fill(dataset.added, { name: file.name }))
      if (page) showWhole(page)
    }
  }

  /**
   * Replaces the part of the page that contains the list, if other lists in it depend on this one. Keeps the messages of
   * other uploads.
   * @param {Document} page
   */
  function showWhole(page) {
    const place = section.closest('[data-whole]')
    const now = place && page.getElementById(place.id)
    if (!now || place.querySelector('.upload')) return
    const hadFocus = place.contains(document.activeElement)
    showPreviews(now)
    place.replaceWith(now)
    enlivenAll(now)
    if (hadFocus) (document.getElementById(section.id) ?? now.querySelector('a'))?.focus()
  }

  /**
   * Loads the lists in order, so that the newest is shown last. The promise resolves to the page, or to null if loading
   * fails.
   * @type {Promise<Document | null>}
   */
  let shown = Promise.resolve(null)
  function showList() {
    shown = shown.then(async () => {
      const { page } = await fetchPage()
      showProgress(page)
      const served = page.getElementById(section.id)
      if (!served) return page
      const now = /** @type {HTMLElement} */ (served.cloneNode(true))
      showPreviews(now)
      const hadFocus = section.contains(document.activeElement)
      section.replaceWith(now)
      section = now
      dress()
      if (hadFocus) section.focus()
      return page
    })
    shown = shown.catch(() => null)
    return shown
  }
}

/** @param {HTMLElement} section */
const formOf = (section) => /** @type {HTMLFormElement} */ (section.querySelector('form[enctype]'))

/** Returns the content of a template. @param {HTMLElement} form @param {string} name */
const contentOf = (form, name) =>
  /** @type {HTMLTemplateElement} */ (form.querySelector(`template${name}`)).content.cloneNode(true)

/** Replaces the counts of documents. @param {Document} page */
function showProgress(page) {
  for (const part of ['.rail', '.progress', '.checklist-count']) {
    const now = page.querySelector(part)
    if (now) document.querySelector(part)?.replaceWith(now)
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {{ file: File, replaces: string }} sent
 * @param {XMLHttpRequest} request
 * @param {(share: number) => void} tell
 */
function post(form, { file, replaces }, request, tell) {
  const body = new FormData()
  body.set('_csrf', tokenOf(form))
  body.set('replaces', replaces)
  const side = form.querySelector('[name="side"]')?.getAttribute('value')
  if (side) body.set('side', side)
  body.set('file', file)
  request.open('POST', form.getAttribute('action') ?? '')
  request.setRequestHeader('Accept', 'application/json')
  return sendFile(request, body, tell)
}

/** Shows the images that were uploaded from this page. @param {HTMLElement} place */
function showPreviews(place) {
  for (const item of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll('[data-file]'))) {
    const preview = previews.get(item.dataset.file ?? '')
    if (preview)
      item
        .closest('[data-documents]')
        ?.querySelector('svg.thumbnail')
        ?.replaceWith(create('img', { className: 'thumbnail', alt: '', src: preview }))
  }
}

/** Creates the row for a file that is being uploaded. @param {File} file */
function newRow(file) {
  const template = /** @type {HTMLTemplateElement} */ (document.querySelector('template[data-upload-row]'))
  const element = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const part = (/** @type {string} */ selector) =>
    /** @type {HTMLElement} */ (element.querySelector(selector))
  const bar = /** @type {HTMLProgressElement} */ (part('progress'))
  const state = part('[data-state]')
  const cancel = part('[data-cancel]')
  const again = part('[data-again]')
  const values = { name: file.name }
  const { storing = '' } = element.dataset
  part('[data-name]').textContent = file.name
  part('[data-size]').textContent = sizeText(file.size)
  for (const each of [bar, cancel, again])
    each.setAttribute('aria-label', fill(each.getAttribute('aria-label') ?? '', values))
  const preview = /^image\/(jpeg|png)$/.test(file.type) ? URL.createObjectURL(file) : null

  /** @param {string} text */
  const tell = (text, isProblem = false) => {
    state.textContent = text
    state.className = isProblem ? 'problem' : 'quiet'
    bar.hidden = isProblem
    if (isProblem) announce(`${file.name}: ${text}`)
  }
  return {
    element,
    cancel,
    again,
    preview,
    /** @param {string} text */
    wait(text) {
      again.hidden = true
      bar.value = 0
      tell(text)
    },
    /** @param {number} share */
    progress(share) {
      bar.value = share
      tell(share < 1 ? fill(element.dataset.sending, { percent: percentText(share) }) : storing)
    },
    /** @param {string} text */
    interrupt(text) {
      again.hidden = false
      tell(text, true)
    },
    /** Shows that the file is refused. The applicant must choose another file. @param {string} text */
    stop(text) {
      again.remove()
      element.classList.add('upload-refused')
      part('[data-refusal]').hidden = false
      tell(text, true)
      cancel.addEventListener('click', () => this.remove())
    },
    remove() {
      if (preview) URL.revokeObjectURL(preview)
      element.remove()
    },
  }
}

/**
 * Lets the applicant take a photo. Other buttons of the input let the applicant choose a file.
 * @param {HTMLInputElement} input
 */
function openCamera(input) {
  const { accept } = input
  input.accept = 'image/jpeg,image/png'
  input.setAttribute('capture', 'environment')
  input.click()
  input.accept = accept
  input.removeAttribute('capture')
}

/** @param {number} bytes */
function sizeText(bytes) {
  const [value, unit] =
    bytes < 1_000_000 ? [Math.ceil(bytes / 1_000), 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  const { lang } = document.documentElement
  return new Intl.NumberFormat(lang, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}

enliven('[data-documents]', upload)
