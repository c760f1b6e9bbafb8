// @ts-check
/** Lets the applicant take or choose a photo. Shows the photo before the upload, and the progress during it. */
import { beginBusy, endBusy } from './busy.js'
import { camera } from './camera.js'
import { inspectPhoto } from './inspect-photo.js'
import { announce, enliven, fill, refusalOf, renewToken, warnWhile } from './page.js'
import { percentText, refusalOfFile, sendFile } from './send-file.js'
import { shrunk } from './shrink.js'

/** @param {HTMLElement} place */
function picture(place) {
  const form = /** @type {HTMLFormElement} */ (place.closest('form'))
  const input = /** @type {HTMLInputElement} */ (place.querySelector('input[type="file"]'))
  const send = /** @type {HTMLButtonElement} */ (form.querySelector('button[type="submit"]'))
  const template = /** @type {HTMLTemplateElement} */ (form.querySelector('template[data-seen]'))
  const seen = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const image = /** @type {HTMLImageElement} */ (seen.querySelector('img'))
  const name = /** @type {HTMLElement} */ (seen.querySelector('[data-name]'))
  const checks = /** @type {HTMLElement} */ (seen.querySelector('[data-checks]'))
  const state = /** @type {HTMLElement} */ (seen.querySelector('[data-state]'))
  const progress = /** @type {HTMLProgressElement} */ (seen.querySelector('progress'))
  const shown = /** @type {HTMLElement} */ (seen.querySelector('[data-shown]'))
  const title = /** @type {HTMLElement} */ (document.querySelector('h1'))
  const dock = /** @type {HTMLElement} */ (send.parentElement)
  const label = /** @type {HTMLElement} */ (place.querySelector('label'))
  const ownTitle = title.textContent
  /** @type {File | null} */
  let chosen = null
  let isUnderWay = false
  /** Whether the applicant has seen a warning about the photo. */
  let isWarned = false

  warnWhile(() => isUnderWay)
  send.hidden = true
  template.before(seen)
  const showChosen = () => {
    const [file] = input.files ?? []
    if (file) void show(file)
  }
  input.addEventListener('change', showChosen)
  camera(place, dock, show)
  // Clicking the label opens the browser's file dialog. The input keeps the focus.
  input.className = 'unseen'
  label.className = 'button button-secondary'
  label.textContent = label.dataset.short ?? ''
  label.dataset.start = ''
  dock.append(label)
  const use = document.querySelector('[data-use]')
  if (use) dock.prepend(use)
  dock.classList.add('dock')
  step(false)
  // The applicant may have chosen a file before the script ran.
  showChosen()
  form.addEventListener('submit', (event) => {
    if (!chosen) return
    event.preventDefault()
    void upload(chosen)
  })

  /** @param {File} file */
  async function show(file) {
    // The browser may be able to convert other images.
    const wrong = file.type.startsWith('image/')
      ? undefined
      : refusalOfFile(file, place.dataset, input.accept)
    if (wrong !== undefined) return refuse(wrong)
    chosen = file
    URL.revokeObjectURL(image.src)
    image.src = URL.createObjectURL(file)
    showsPicture(file.type !== 'application/pdf')
    image.onerror = () => {
      // The browser cannot convert an image that it cannot show.
      const wrong = chosen === file ? refusalOfFile(file, place.dataset, input.accept) : undefined
      if (wrong === undefined) showsPicture(false)
      else refuse(wrong)
    }
    name.textContent = file.name
    step(true)
    send.hidden = false
    warn(false)
    say('')
    send.focus()
    announce(title.textContent)
    progress.hidden = true
    checks.hidden = true
    const found = await inspectPhoto(file)
    if (chosen !== file || !found) return
    // Hides the button, because the server refuses photos that are too small.
    send.hidden = found.includes('small')
    if (send.hidden) /** @type {HTMLElement} */ (dock.querySelector('[data-retake]')).focus()
    checks.hidden = false
    for (const check of /** @type {NodeListOf<HTMLElement>} */ (checks.querySelectorAll('[data-check]'))) {
      const isBad = found.some((each) => each === check.dataset.check)
      for (const part of /** @type {NodeListOf<HTMLElement>} */ (check.querySelectorAll('p')))
        part.hidden = 'bad' in part.dataset !== isBad
    }
    const warnings = found.map(
      (each) => checks.querySelector(`[data-check="${each}"] [data-bad]`)?.textContent,
    )
    warn(warnings.length > 0)
    if (isWarned) announce(warnings.join(' '))
  }

  /** Makes another photo the main action after a warning. @param {boolean} isBad */
  function warn(isBad) {
    isWarned = isBad
    const retake = /** @type {HTMLElement} */ (dock.querySelector('[data-retake]'))
    send.className = isBad ? 'button button-secondary' : 'button'
    retake.className = isBad ? 'button' : 'button button-secondary'
    dock[isBad ? 'prepend' : 'append'](/** @type {HTMLElement} */ (retake.parentElement))
    send.textContent = send.dataset.seen ?? ''
    // The server refuses photos whose use the page does not offer.
    const hint = /** @type {HTMLElement} */ (checks.querySelector('[data-warned]'))
    hint.hidden = !isBad || send.hidden
  }

  /** Shows either the controls that choose a photo, or the chosen photo. @param {boolean} isSeen */
  function step(isSeen) {
    const main = /** @type {HTMLElement} */ (document.querySelector('main'))
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll('[data-start]')))
      part.hidden = isSeen
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll('[data-shown]')))
      part.hidden = !isSeen
    title.textContent = isSeen ? (shown.dataset.title ?? '') : ownTitle
  }

  /** Shows the file name if the browser cannot show the file. @param {boolean} isShown */
  function showsPicture(isShown) {
    image.hidden = !isShown
    name.hidden = isShown
  }

  /** @param {string} text */
  function say(text, isProblem = false) {
    state.textContent = text
    state.className = isProblem ? 'problem' : 'quiet'
    if (text) announce(text)
  }

  /** @param {File} file */
  async function upload(file, isAgain = false) {
    if (isUnderWay) return
    isUnderWay = true
    beginBusy(form, send)
    const body = new FormData(form)
    const sent = await shrunk(file).catch(() => file)
    const wrong = refusalOfFile(sent, place.dataset, input.accept)
    if (wrong !== undefined) return refuse(wrong)
    body.set('file', sent)
    body.set('seen', isWarned ? 'warned' : 'yes')
    progress.hidden = false
    progress.value = 0
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    const response = await sendFile(request, body, (share) => {
      progress.value = share
      state.textContent =
        share < 1
          ? fill(state.dataset.sending, { percent: percentText(share) })
          : (state.dataset.looking ?? '')
    })
    isUnderWay = false
    const { status = 500 } = response ?? {}
    // The server redirects after it has accepted a photo. Otherwise, it shows the same page with the problem.
    if (status === 200 && request.responseURL !== form.action) return location.assign(request.responseURL)
    const renewal = status === 403 && !isAgain ? await renewToken().catch(() => 'ended') : null
    if (renewal === 'renewed') return upload(file, true)
    if (status === 401 || renewal === 'ended') return ended(state.dataset.session ?? '')
    // Without a response or after a server error, the applicant can send the same photo again.
    if (!response || status === 408 || status >= 500) return ended(state.dataset.interrupted ?? '')
    const text = await refusal(response)
    if (status === 413 || status === 422) refuse(text)
    else ended(text)
  }

  /** Lets the applicant choose another photo. @param {string} text */
  function refuse(text) {
    chosen = null
    ended(text)
    send.hidden = true
    // The photo was below its buttons.
    label.before(/** @type {HTMLElement} */ (dock.querySelector('.photo-buttons')))
    step(false)
    // Another photo is now the main action, instead of the earlier one.
    use?.classList.add('button-secondary')
    for (const each of document.querySelectorAll('.photo-buttons > :is([data-open], label)'))
      each.classList.remove('button-secondary')
    input.focus()
  }

  /** @param {string} text */
  function ended(text) {
    isUnderWay = false
    endBusy()
    progress.hidden = true
    send.textContent = send.dataset.again ?? ''
    say(text, true)
  }

  /** @param {Response} response */
  async function refusal(response) {
    const copy = response.clone()
    const page = new DOMParser().parseFromString(await copy.text(), 'text/html')
    return page.querySelector('.problem')?.textContent ?? refusalOf(response)
  }
}

enliven('[data-picture]', picture)
