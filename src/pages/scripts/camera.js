// @ts-check
/** Takes a photo with the device's camera on the page. The applicant can always choose a file instead. */
import { isDrawingTrue } from './canvas.js'
import { announce, create } from './page.js'

/** If no frame arrives within this time, the camera counts as unavailable. */
const TIMEOUT_MS = 8_000

const isPhone = () => matchMedia('(max-width: 47.99rem) and (any-pointer: coarse)').matches

/**
 * Adds the buttons to the dock. The button `retake` opens the camera again, or the file dialog if there is no camera.
 * @param {HTMLElement} place
 * @param {HTMLElement} dock
 * @param {(file: File) => void} take
 */
export function camera(place, dock, take) {
  const form = /** @type {HTMLFormElement} */ (place.closest('form'))
  const template = /** @type {HTMLTemplateElement} */ (form.querySelector('template[data-camera]'))
  const part = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const find = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (part.querySelector(`[data-${name}]`))
  const chooser = /** @type {HTMLInputElement} */ (place.querySelector('input[type="file"]'))
  const dialog = /** @type {HTMLDialogElement} */ (part.querySelector('dialog'))
  const video = /** @type {HTMLVideoElement} */ (part.querySelector('video'))
  const shoot = /** @type {HTMLButtonElement} */ (find('shoot'))
  const open = find('open')
  const wait = find('wait')
  const help = find('help')
  const state = find('state')
  /** @type {MediaStream | null} */
  let stream = null
  /** Counts the times that the camera was opened or closed. */
  let attempt = 0

  dock.append(part)
  // Over HTTP, browsers block the camera on the page. A phone's file input can still open the camera app.
  if (!navigator.mediaDevices?.getUserMedia || !('showModal' in dialog) || !isDrawingTrue()) {
    open.remove()
    dialog.remove()
    if (matchMedia('(any-pointer: coarse)').matches) offerCapture()
    find('retake').addEventListener('click', () => chooser.click())
    return
  }
  open.dataset.start = ''
  open.addEventListener('click', start)
  find('retake').addEventListener('click', start)
  shoot.addEventListener('click', snap)
  find('close').addEventListener('click', close)
  find('file').addEventListener('click', () => {
    close()
    chooser.click()
  })
  help.addEventListener('click', () => {
    const isShown = help.getAttribute('aria-expanded') === 'true'
    help.setAttribute('aria-expanded', String(!isShown))
    find('help-text').hidden = isShown
    find('tips').hidden = !isShown
  })
  // The browser reports a closed dialog late. The applicant may have opened it again by then.
  dialog.addEventListener('close', () => {
    if (dialog.open) return
    stop()
    if (document.activeElement === document.body) open.focus()
  })
  // Closes the camera if the applicant chooses a file instead.
  place.addEventListener('change', close)
  // A page that the browser keeps must not return with an open camera that shows no image.
  window.addEventListener('pagehide', close)
  if ('auto' in place.dataset && isPhone()) void start()

  function offerCapture() {
    const input = /** @type {HTMLInputElement} */ (part.querySelector('input[capture]'))
    const label = /** @type {HTMLElement} */ (part.querySelector('label'))
    input.hidden = false
    label.hidden = false
    label.dataset.start = ''
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) take(file)
    })
  }

  async function start() {
    const current = ++attempt
    say('')
    wait.hidden = false
    announce(state.dataset.waiting ?? '')
    dialog.showModal()
    try {
      const opened = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: {
          facingMode: place.dataset.picture ?? 'environment',
          width: { ideal: 1_920 },
          height: { ideal: 1_080 },
        },
      })
      // The applicant has closed the camera in the meantime, and may have opened it again.
      if (current !== attempt) return end(opened)
      stream = opened
      // The device ends the stream, for example while the phone is locked.
      for (const track of stream.getTracks())
        track.addEventListener('ended', () => {
          if (current !== attempt) return
          close()
          say('failed')
        })
      video.srcObject = stream
      await Promise.race([
        video.play(),
        new Promise((_, reject) => setTimeout(() => reject(new Error('no frame')), TIMEOUT_MS)),
      ])
      if (current !== attempt) return
      video.hidden = false
      wait.hidden = true
      shoot.disabled = false
      announce(state.dataset.ready ?? '')
      shoot.focus()
    } catch (error) {
      if (current !== attempt) return
      close()
      const name = error instanceof Error ? error.name : ''
      const about = { NotAllowedError: 'denied', NotFoundError: 'none', OverconstrainedError: 'none' }
      say(about[/** @type {keyof typeof about} */ (name)] ?? 'failed')
    }
  }

  function close() {
    stop()
    dialog.close()
  }

  function stop() {
    attempt += 1
    if (stream) end(stream)
    stream = null
    video.hidden = true
    shoot.disabled = true
  }

  /** @param {MediaStream} ended */
  function end(ended) {
    for (const track of ended.getTracks()) track.stop()
  }

  /** Takes the complete camera frame, including the parts that the page covers. */
  function snap() {
    const canvas = create('canvas', { width: video.videoWidth, height: video.videoHeight })
    canvas.getContext('2d')?.drawImage(video, 0, 0)
    canvas.toBlob(
      (blob) => {
        close()
        if (!blob) return say('failed')
        take(new File([blob], 'camera.jpg', { type: 'image/jpeg' }))
      },
      'image/jpeg',
      0.9,
    )
  }

  /** @param {string} about */
  function say(about) {
    const text = about === '' ? '' : (state.dataset[about] ?? '')
    state.textContent = text
    if (text) announce(text)
  }
}
