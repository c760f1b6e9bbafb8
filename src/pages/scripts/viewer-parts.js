// @ts-check
/** Adds thumbnails to the strip of documents, and lets the operator drag a document. */

const THUMBNAIL = { width: 92, height: 112 }

/**
 * Shows the upper part of a drawn page in the strip.
 * @param {HTMLElement | null} link
 * @param {HTMLElement} drawn
 */
export function addThumbnail(link, drawn) {
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

/** Lets the operator drag a document that is larger than the viewer. @param {HTMLElement} place */
export function pan(place) {
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
