// @ts-check
/** Takes a photo with the camera of the device in the page. The applicant can always choose a file instead. */
import { isDrawingTrue } from './canvas.js'
import { announce } from './page.js'

/** After this time without a frame, the camera counts as unavailable. */
const TIMEOUT_MS = 8_000

/**
 * @param {HTMLElement} place
 * @param {(file: File) => void} take
 */
export function camera(place, take) {
  const form = /** @type {HTMLFormElement} */ (place.closest('form'))
  const template = /** @type {HTMLTemplateElement} */ (form.querySelector('template[data-camera]'))
  const part = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const find = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (part.querySelector(`[data-${name}]`))
  const video = /** @type {HTMLVideoElement} */ (part.querySelector('video'))
  const open = find('open')
  const view = find('view')
  const shoot = find('shoot')
  const close = find('close')
  const state = find('state')
  /** @type {MediaStream | null} */
  let stream = null

  place.prepend(part)
  // Over HTTP, browsers block the camera in the page. The file input of a phone can still open the camera app.
  if (!navigator.mediaDevices?.getUserMedia || !isDrawingTrue()) {
    open.hidden = true
    if (matchMedia('(any-pointer: coarse)').matches) offerCapture()
    return
  }
  open.addEventListener('click', start)
  shoot.addEventListener('click', snap)
  close.addEventListener('click', () => {
    stop()
    open.focus()
  })
  // The applicant has chosen a file instead.
  place.addEventListener('change', stop)
  window.addEventListener('pagehide', stop)

  function offerCapture() {
    const input = /** @type {HTMLInputElement} */ (part.querySelector('input[capture]'))
    const label = /** @type {HTMLElement} */ (part.querySelector('label'))
    input.hidden = false
    label.hidden = false
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) take(file)
    })
  }

  async function start() {
    open.hidden = true
    say('waiting')
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: {
          facingMode: place.dataset.picture ?? 'environment',
          width: { ideal: 1_920 },
          height: { ideal: 1_080 },
        },
      })
      video.srcObject = stream
      await Promise.race([
        video.play(),
        new Promise((_, reject) => setTimeout(() => reject(new Error('no frame')), TIMEOUT_MS)),
      ])
      view.hidden = false
      say('ready')
      shoot.focus()
    } catch (error) {
      stop()
      if (document.activeElement === document.body) open.focus()
      const name = error instanceof Error ? error.name : ''
      const about = { NotAllowedError: 'denied', NotFoundError: 'none', OverconstrainedError: 'none' }
      say(about[/** @type {keyof typeof about} */ (name)] ?? 'failed')
    }
  }

  function stop() {
    for (const track of stream?.getTracks() ?? []) track.stop()
    stream = null
    view.hidden = true
    open.hidden = false
    say('')
  }

  /** Takes the complete camera frame, including the parts that the page covers. */
  function snap() {
    const canvas = document.createElement('canvas')
    canvas.width = video.videoWidth
    canvas.height = video.videoHeight
    canvas.getContext('2d')?.drawImage(video, 0, 0)
    canvas.toBlob(
      (blob) => {
        if (!blob) return say('failed')
        stop()
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
