// @ts-check
/** Fetches documents. Draws images with the browser, and PDFs with pdf.js, which is loaded with the first PDF. */
import { create, timeoutSignal } from './page.js'

/**
 * @typedef {{ page: number, turned: number, zoom: number, space: { width: number, height: number } }} Wanted
 *   `zoom` 0 fits the page into the space.
 * @typedef {{ element: HTMLElement, text: string }} Drawn
 * @typedef {{ pages: number, fitting: number, draw: (wanted: Wanted) => Promise<Drawn>, close: () => void }} Opened
 *   `fitting` is the zoom factor with which the page last fitted into the space.
 */

/** The path of pdf.js, which the page states. */
const PDF_PATH = document.querySelector('[data-pdf]')?.getAttribute('data-pdf') ?? ''
/** The time limit for drawing a page. */
const TIMEOUT_MS = 20_000
/** The maximum number of pixels of a canvas, because some browsers cannot draw more. */
const MAX_POINTS = 16_000_000
const MAX_TEXT_LENGTH = 20_000

export class Unreadable extends Error {
  /** @param {'broken' | 'encrypted' | 'slow' | 'gone' | 'ended' | 'away'} why */
  constructor(why) {
    super(why)
    this.why = why
  }
}

/** @param {{ width: number, height: number }} size @param {Wanted} wanted */
const scaleOf = (size, { zoom, space }) =>
  zoom || Math.max(0.05, Math.min(space.width / size.width, space.height / size.height))

/** @param {HTMLImageElement} image @returns {Promise<Opened>} */
export async function openImage(image) {
  await image.decode().catch(() => {
    throw new Unreadable('broken')
  })
  const { naturalWidth: width, naturalHeight: height } = image
  const frame = create('div', { className: 'turned' })
  frame.append(image)
  image.removeAttribute('alt')
  image.alt = ''
  /** @type {Opened} */
  const opened = {
    pages: 1,
    fitting: 1,
    async draw(wanted) {
      const isOnSide = wanted.turned % 180 !== 0
      const scale = scaleOf(isOnSide ? { width: height, height: width } : { width, height }, wanted)
      if (wanted.zoom === 0) opened.fitting = scale
      const [w, h] = [width * scale, height * scale]
      frame.style.width = `${isOnSide ? h : w}px`
      frame.style.height = `${isOnSide ? w : h}px`
      image.style.width = `${w}px`
      image.style.height = `${h}px`
      image.style.transform = `translate(-50%, -50%) rotate(${wanted.turned}deg)`
      return { element: frame, text: '' }
    },
    close: () => URL.revokeObjectURL(image.src),
  }
  return opened
}

/** @type {Promise<any> | undefined} */
let loading
let failures = 0

function loadPdfjs() {
  // Browsers do not load a failed module again unless its URL has changed.
  loading ??= import(`${PDF_PATH}/legacy/build/pdf.min.mjs#${failures}`).then(
    (pdfjs) => {
      pdfjs.GlobalWorkerOptions.workerSrc = `${PDF_PATH}/legacy/build/pdf.worker.min.mjs`
      return pdfjs
    },
    (error) => {
      loading = undefined
      failures += 1
      // A TypeError means that the module was not loaded. After any other error, another attempt would not help.
      throw new Unreadable(error instanceof TypeError ? 'away' : 'broken')
    },
  )
  return loading
}

/** @param {Blob} bytes @returns {Promise<Opened>} */
async function openPdf(bytes) {
  const pdfjs = await loadPdfjs()
  const task = pdfjs.getDocument({
    data: new Uint8Array(await bytes.arrayBuffer()),
    // Loads fonts and decoders only from Gatehouse.
    enableXfa: false,
    cMapUrl: `${PDF_PATH}/cmaps/`,
    standardFontDataUrl: `${PDF_PATH}/standard_fonts/`,
    wasmUrl: `${PDF_PATH}/wasm/`,
    iccUrl: `${PDF_PATH}/iccs/`,
    canvasMaxAreaInBytes: MAX_POINTS * 4,
    maxImageSize: MAX_POINTS * 4,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  })
  const close = () => void task.destroy().catch(() => {})
  const document = await withTimeout(task.promise, close).catch((error) => {
    close()
    if (error instanceof Unreadable) throw error
    throw new Unreadable(error?.name === 'PasswordException' ? 'encrypted' : 'broken')
  })
  return opened(document, close)
}

/** @param {any} pdf @param {() => void} close @returns {Opened} */
function opened(pdf, close) {
  const self = {
    pages: /** @type {number} */ (pdf.numPages),
    fitting: 1,
    /** @param {Wanted} wanted */
    async draw(wanted) {
      const page = await withTimeout(pdf.getPage(wanted.page), close)
      const rotation = (page.rotate + wanted.turned) % 360
      const size = page.getViewport({ scale: 1, rotation })
      const scale = scaleOf(size, wanted)
      if (wanted.zoom === 0) self.fitting = scale
      const density = Math.min(
        window.devicePixelRatio || 1,
        Math.sqrt(MAX_POINTS / (size.width * size.height * scale * scale)),
      )
      const viewport = page.getViewport({ scale: scale * density, rotation })
      const canvas = document.createElement('canvas')
      canvas.width = Math.max(1, Math.floor(viewport.width))
      canvas.height = Math.max(1, Math.floor(viewport.height))
      canvas.style.width = `${size.width * scale}px`
      canvas.style.height = `${size.height * scale}px`
      await withTimeout(page.render({ canvas, viewport }).promise, close)
      const content = await withTimeout(page.getTextContent(), close)
      return { element: canvas, text: textOf(content) }
    },
    close,
  }
  return self
}

/** @param {{ items: { str?: string, hasEOL?: boolean }[] }} content */
const textOf = ({ items }) =>
  items
    .map(({ str = '', hasEOL = false }) => str + (hasEOL ? '\n' : ''))
    .join('')
    .trim()
    .slice(0, MAX_TEXT_LENGTH)

/**
 * @template T
 * @param {Promise<T>} work
 * @param {() => void} giveUp
 * @returns {Promise<T>}
 */
function withTimeout(work, giveUp) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Unreadable('slow'))
      giveUp()
    }, TIMEOUT_MS)
    work.then(resolve, reject).finally(() => clearTimeout(late))
  })
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
export async function fetchDocument(file, type) {
  const bytes = await fetchBytes(file)
  if (type === 'application/pdf') return openPdf(bytes)
  if (!type.startsWith('image/')) throw new Unreadable('broken')
  const picture = new Image()
  picture.src = URL.createObjectURL(bytes)
  return openImage(picture)
}
